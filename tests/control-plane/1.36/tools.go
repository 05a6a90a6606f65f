//go:build tools

// Package tools names the commands whose dependencies go.mod must keep.
package tools

import (
	_ "k8s.io/kubernetes/cmd/kube-apiserver"
)
