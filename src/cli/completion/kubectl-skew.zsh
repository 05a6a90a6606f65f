#compdef kubectl-skew
# zsh completion of kubectl-skew.
#
# `kubectl skew` itself is completed by kubectl: run `kubectl skew completion kubectl --install` for that.

_kubectl_skew() {
    local line value help directive=4
    local -a described
    while IFS= read -r line; do
        case "$line" in
            :<->) directive="${line#:}" ;;
            *$'\t'*)
                value="${line%%$'\t'*}"
                help="${line#*$'\t'}"
                described+=("${${value//\\/\\\\}//:/\\:}:${help}")
                ;;
            *) described+=("${${line//\\/\\\\}//:/\\:}") ;;
        esac
    done < <("${words[1]}" __complete "${(@Q)words[2,CURRENT]}" 2>/dev/null)
    if ((directive & 2)); then
        _describe -V 'kubectl skew' described -S ''
    else
        _describe -V 'kubectl skew' described
    fi
}

if [[ "$funcstack[1]" = "_kubectl_skew" || "$funcstack[1]" = "_kubectl-skew" ]]; then
    _kubectl_skew
else
    compdef _kubectl_skew kubectl-skew
fi
