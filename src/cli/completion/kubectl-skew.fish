# fish completion of kubectl-skew.
#
# `kubectl skew` itself is completed by kubectl: run `kubectl skew completion kubectl --install` for that.

function __kubectl_skew
    set -l words (commandline -opc) (commandline -ct)
    $words[1] __complete $words[2..-1] 2>/dev/null | string match --invert --regex '^:[0-9]+$'
end

complete --command kubectl-skew --no-files --arguments '(__kubectl_skew)'
