//! The words of a gap: how it weighs, and the commands that grant the read that was refused.

use crate::inventory::gap::{Gap, Grant};

/// The verbs that a grant gives.
pub const GRANTED_VERBS: &[&str] = &["list"];

/// A gap's head: how it weighs and what it takes away.
pub fn gap_title(gap: &Gap) -> String {
    let weight = if gap.required { "required" } else { "optional" };
    let component = gap
        .component
        .map_or_else(String::new, |component| format!(" of {component}"));
    let extent = if gap.partial { "partly" } else { "wholly" };
    format!("{weight}, {}{component} {extent} unread", gap.capability.name())
}

/// Commands to paste that grant a read. Their names hold whom they are for, so that a second user's do not meet
/// the first one's.
pub fn grant(grant: &Grant) -> String {
    let Grant {
        group,
        resource,
        namespace,
        user,
    } = grant;
    let whom = user.as_deref().map_or_else(String::new, |user| {
        let user = user.strip_prefix("system:serviceaccount:").unwrap_or(user);
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.:@".contains(c);
        format!(":{}", user.replace(|c| !plain(c), "-"))
    });
    let name = format!(
        "kubectl-skew-{}{whom}",
        resource.trim_start_matches('/').replace('/', "-")
    );
    let verbs = GRANTED_VERBS.join(",");
    let resource = match (resource.starts_with('/'), group.is_empty()) {
        (true, _) => format!("--verb=get --non-resource-url={resource}"),
        (false, true) => format!("--verb={verbs} --resource={resource}"),
        (false, false) => format!("--verb={verbs} --resource={resource}.{group}"),
    };
    let subject = user.as_deref().map_or_else(|| "--user=USER".to_owned(), subject);
    match namespace {
        Some(namespace) => {
            let namespace = shell_word(namespace);
            format!(
                "kubectl create role {name} -n {namespace} {resource} && \
                 kubectl create rolebinding {name} -n {namespace} --role={name} {subject}"
            )
        }
        None => format!(
            "kubectl create clusterrole {name} {resource} && \
             kubectl create clusterrolebinding {name} --clusterrole={name} {subject}"
        ),
    }
}

fn subject(user: &str) -> String {
    match user
        .strip_prefix("system:serviceaccount:")
        .and_then(|account| account.split_once(':'))
    {
        Some((namespace, name)) => format!("--serviceaccount={}", shell_word(&format!("{namespace}:{name}"))),
        None => format!("--user={}", shell_word(user)),
    }
}

/// `text` as one word of a POSIX shell.
fn shell_word(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.:/@=+,".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grant_of(
        resource: &'static str,
        group: &'static str,
        namespace: Option<&str>,
        user: Option<&str>,
    ) -> String {
        grant(&Grant {
            group,
            resource,
            namespace: namespace.map(str::to_owned),
            user: user.map(str::to_owned),
        })
    }

    #[test]
    fn a_grant_is_two_commands_to_paste() {
        assert_eq!(
            grant_of("nodes", "", None, Some("jane")),
            "kubectl create clusterrole kubectl-skew-nodes:jane --verb=list --resource=nodes && \
             kubectl create clusterrolebinding kubectl-skew-nodes:jane \
             --clusterrole=kubectl-skew-nodes:jane --user=jane"
        );
        assert_eq!(
            grant_of(
                "leases",
                "coordination.k8s.io",
                Some("kube-system"),
                Some("system:serviceaccount:ci:reader")
            ),
            "kubectl create role kubectl-skew-leases:ci:reader -n kube-system --verb=list \
             --resource=leases.coordination.k8s.io && kubectl create rolebinding \
             kubectl-skew-leases:ci:reader -n kube-system --role=kubectl-skew-leases:ci:reader \
             --serviceaccount=ci:reader"
        );
        assert!(grant_of("nodes", "", None, None).ends_with("--user=USER"));
    }

    #[test]
    fn a_hostile_user_stays_one_word_of_the_shell() {
        let command = grant_of("nodes", "", None, Some("a'; rm -rf / #"));
        assert!(command.ends_with(r"--user='a'\''; rm -rf / #'"), "{command}");
    }
}
