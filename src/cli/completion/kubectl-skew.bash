# bash completion of kubectl-skew.
#
# `kubectl skew` itself is completed by kubectl: run `kubectl skew completion kubectl --install` for that.

_kubectl_skew() {
    local line directive=4 current="${COMP_WORDS[COMP_CWORD]}"
    local -a candidates=()
    # bash splits words at = and :, the flags do not.
    local -a words
    if declare -F _get_comp_words_by_ref >/dev/null; then
        local cword
        _get_comp_words_by_ref -n =: -w words -i cword -c current
        words=("${words[@]:1:cword}")
    else
        local typed="${COMP_LINE:0:COMP_POINT}"
        read -ra words <<<"$typed"
        [[ "$typed" == *[[:space:]] ]] && words+=("")
        words=("${words[@]:1}")
        current="${words[${#words[@]} - 1]}"
    fi
    while IFS= read -r line; do
        case "$line" in
            :[0-9]*) directive="${line#:}" ;;
            *) candidates+=("${line%%$'\t'*}") ;;
        esac
    done < <("${COMP_WORDS[0]}" __complete "${words[@]}" 2>/dev/null)
    if ((directive & 2)); then
        compopt -o nospace 2>/dev/null
    fi
    COMPREPLY=()
    for line in "${candidates[@]}"; do
        [[ "$line" == "$current"* ]] && COMPREPLY+=("$line")
    done
    # bash replaces only what follows the last place where it breaks a word.
    local breaks=""
    [[ "$COMP_WORDBREAKS" == *=* ]] && breaks+="="
    [[ "$COMP_WORDBREAKS" == *:* ]] && breaks+=":"
    if [[ -n "$breaks" && ${#COMPREPLY[@]} -gt 0 ]]; then
        local behind="${current##*[$breaks]}"
        COMPREPLY=("${COMPREPLY[@]#"${current%"$behind"}"}")
    fi
}

complete -F _kubectl_skew kubectl-skew
