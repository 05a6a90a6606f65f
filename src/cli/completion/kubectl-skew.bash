# bash completion of kubectl-skew.
#
# `kubectl skew` itself is completed by kubectl: run `kubectl skew completion kubectl --install` for that.

_kubectl_skew() {
    local line directive=4 current
    local -a candidates=()
    # bash splits words at = and :, the flags do not.
    local -a words
    if declare -F _get_comp_words_by_ref >/dev/null; then
        local cword
        _get_comp_words_by_ref -n =: -w words -i cword
        # Only backslashes are taken away: nothing that is typed is evaluated.
        words=("${words[@]:1:cword}")
        words=("${words[@]//\\/}")
    else
        local typed="${COMP_LINE:0:COMP_POINT}"
        # Without -r: what was completed before is quoted by backslashes.
        read -a words <<<"$typed"
        [[ "$typed" == *[[:space:]] && "$typed" != *\\[[:space:]] ]] && words+=("")
        words=("${words[@]:1}")
    fi
    current="${words[${#words[@]} - 1]}"
    while IFS= read -r line; do
        # The pattern is strict: what is counted with below would be evaluated.
        if [[ "$line" =~ ^:[0-9]+$ ]]; then
            directive="${line#:}"
        else
            candidates+=("${line%%$'\t'*}")
        fi
    done < <("${COMP_WORDS[0]}" __complete "${words[@]}" 2>/dev/null)
    if ((directive & 2)); then
        compopt -o nospace 2>/dev/null
    fi
    # bash replaces only what follows the last place where it breaks a word.
    local breaks="" behind="$current"
    [[ "$COMP_WORDBREAKS" == *=* ]] && breaks+="="
    [[ "$COMP_WORDBREAKS" == *:* ]] && breaks+=":"
    [[ -n "$breaks" ]] && behind="${current##*[$breaks]}"
    COMPREPLY=()
    for line in "${candidates[@]}"; do
        # A name may hold blanks, `$(…)` and worse.
        [[ "$line" == "$current"* ]] && COMPREPLY+=("$(printf '%q' "${line#"${current%"$behind"}"}")")
    done
}

complete -F _kubectl_skew kubectl-skew
