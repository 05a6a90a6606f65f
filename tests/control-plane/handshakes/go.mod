module kubectl-skew/tests/handshakes

go 1.26
