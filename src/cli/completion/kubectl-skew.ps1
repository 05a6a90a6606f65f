# PowerShell completion of kubectl-skew.
#
# `kubectl skew` itself is completed by kubectl: run `kubectl skew completion kubectl --install` for that.

Register-ArgumentCompleter -Native -CommandName 'kubectl-skew' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements | Select-Object -Skip 1 | ForEach-Object { "$_" })
    if ($wordToComplete -eq '') { $words += '' }
    & $commandAst.CommandElements[0].ToString() __complete @words 2>$null |
        Where-Object { $_ -notmatch '^:\d+$' } |
        ForEach-Object {
            $value, $help = $_ -split "`t", 2
            if (-not $help) { $help = $value }
            # A name may hold blanks, $(...) and worse: one word in quotes.
            $word = $value
            if ($value -notmatch '^[\w./:=+-]+$') { $word = "'" + $value.Replace("'", "''") + "'" }
            [System.Management.Automation.CompletionResult]::new($word, $value, 'ParameterValue', $help)
        }
}
