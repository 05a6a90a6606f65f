package main

import (
	"crypto"
	"crypto/elliptic"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"math/big"
	"net"
	"time"
)

// kinds are all the kinds there are, by the names that the tests know.
func kinds() []kind {
	var all []kind
	for _, some := range [][]kind{
		keys(), signatures(), names(), authorities(), chains(), fields(), malformed(), constrained(), trusted(), protocols(), clients(),
	} {
		all = append(all, some...)
	}
	return all
}

// leaf is a kind whose server has an ordinary authority and key, and a certificate that is changed.
func leaf(name string, change func(made *x509.Certificate)) kind {
	return kind{name, func() handshake {
		made, authority := server(), root()
		change(made)
		return under(signed(made, p256(), authority), authority)
	}}
}

// issued is a kind whose authority is changed.
func issued(name string, change func(made *x509.Certificate)) kind {
	return kind{name, func() handshake {
		made := ca("authority")
		change(made)
		authority := signed(made, p256(), nil)
		return under(signed(server(), p256(), authority), authority)
	}}
}

func under(leaf, authority *identity, more ...*identity) handshake {
	return handshake{config: chain(leaf, more...), authority: bundle(authority)}
}

func keys() []kind {
	of := func(name string, key func() crypto.Signer) []kind {
		return []kind{
			{"a server key of " + name, func() handshake {
				authority := root()
				return under(signed(server(), key(), authority), authority)
			}},
			{"an authority's key of " + name, func() handshake {
				authority := signed(ca("authority"), key(), nil)
				return under(signed(server(), p256(), authority), authority)
			}},
		}
	}
	rsaOf := func(bits int) func() crypto.Signer { return func() crypto.Signer { return rsaKey(bits) } }
	curve := func(curve elliptic.Curve) func() crypto.Signer { return func() crypto.Signer { return ec(curve) } }
	var all []kind
	for _, some := range [][]kind{
		of("ECDSA P-256", p256), of("ECDSA P-384", curve(elliptic.P384())), of("ECDSA P-521", curve(elliptic.P521())),
		of("ECDSA P-224", curve(elliptic.P224())), of("Ed25519", ed), of("RSA 2048", rsaOf(2048)), of("RSA 1024", rsaOf(1024)),
	} {
		all = append(all, some...)
	}
	return all
}

func signatures() []kind {
	by := func(name string, key func() crypto.Signer, algorithm x509.SignatureAlgorithm) kind {
		return kind{"a signature of " + name, func() handshake {
			authority, made := signed(ca("authority"), key(), nil), server()
			made.SignatureAlgorithm = algorithm
			return under(signed(made, p256(), authority), authority)
		}}
	}
	big := func() crypto.Signer { return rsaKey(2048) }
	return []kind{
		by("ECDSA P-256 with SHA-384", p256, x509.ECDSAWithSHA384),
		by("ECDSA P-256 with SHA-512", p256, x509.ECDSAWithSHA512),
		by("RSA PSS with SHA-256", big, x509.SHA256WithRSAPSS),
		by("RSA with SHA-512", big, x509.SHA512WithRSA),
		{"a signature of RSA with SHA-1", func() handshake {
			authority := signed(ca("authority"), big(), nil)
			return under(sha1Signed(signed(server(), p256(), authority), authority.key), authority)
		}},
		{"a signature of ECDSA with SHA-1", func() handshake {
			authority := root()
			return under(sha1Signed(signed(server(), p256(), authority), authority.key), authority)
		}},
		{"an authority signed with SHA-1", func() handshake {
			authority := signed(ca("authority"), big(), nil)
			authority = sha1Signed(authority, authority.key)
			return under(signed(server(), p256(), authority), authority)
		}},
		{"a signature that is not its authority's", func() handshake {
			authority, other := root(), root()
			return under(signed(server(), p256(), other), authority)
		}},
		{"a server certificate of version 1", func() handshake {
			authority := root()
			return under(version1("server", p256(), authority, "authority", -time.Hour, time.Hour), authority)
		}},
		ofVersion1("an authority of version 1", -time.Hour, time.Hour),
		ofVersion1("an authority of version 1 that has expired", -48*time.Hour, -time.Hour),
		ofVersion1("an authority of version 1 that is not valid yet", time.Hour, 48*time.Hour),
	}
}

// ofVersion1 is a kind whose authority is of X.509 version 1 and valid for that time around now.
func ofVersion1(name string, from, to time.Duration) kind {
	return kind{name, func() handshake {
		authority := version1("authority", p256(), nil, "authority", from, to)
		return under(signed(server(), p256(), authority), authority)
	}}
}

func names() []kind {
	return []kind{
		leaf("another address", func(made *x509.Certificate) { made.IPAddresses = []net.IP{net.IPv4(127, 9, 9, 9)} }),
		leaf("no name but the subject", func(made *x509.Certificate) { made.IPAddresses, made.DNSNames = nil, nil }),
		leaf("the address as a DNS name", func(made *x509.Certificate) {
			made.IPAddresses, made.DNSNames = nil, []string{"127.0.0.1"}
		}),
		leaf("DNS names that are none beside the address", func(made *x509.Certificate) {
			made.DNSNames = []string{"under_score.example", "*.*.example", "-x.example", "trailing.example."}
		}),
		leaf("an e-mail address beside the address", func(made *x509.Certificate) {
			made.EmailAddresses = []string{"a@b.example"}
		}),
		leaf("no subject", func(made *x509.Certificate) { made.Subject = pkix.Name{} }),
	}
}

func authorities() []kind {
	network := func(address string) []*net.IPNet {
		_, network, err := net.ParseCIDR(address)
		must(err)
		return []*net.IPNet{network}
	}
	return []kind{
		issued("an authority that permits the address", func(made *x509.Certificate) {
			made.PermittedIPRanges = network("127.0.0.0/8")
		}),
		issued("an authority that permits other addresses", func(made *x509.Certificate) {
			made.PermittedIPRanges = network("10.0.0.0/8")
		}),
		issued("an authority that excludes the address", func(made *x509.Certificate) {
			made.ExcludedIPRanges = network("127.0.0.0/8")
		}),
		issued("an authority without basic constraints", func(made *x509.Certificate) {
			made.IsCA, made.BasicConstraintsValid = false, false
		}),
		issued("an authority that says it is none", func(made *x509.Certificate) { made.IsCA = false }),
		issued("an authority that may not sign certificates", func(made *x509.Certificate) {
			made.KeyUsage = x509.KeyUsageDigitalSignature
		}),
		issued("an authority that has expired", func(made *x509.Certificate) {
			made.NotBefore, made.NotAfter = time.Now().Add(-48*time.Hour), time.Now().Add(-time.Hour)
		}),
		issued("an authority without a subject", func(made *x509.Certificate) { made.Subject = pkix.Name{} }),
		issued("an authority for clients only", func(made *x509.Certificate) {
			made.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
		}),
		issued("an authority for any use", func(made *x509.Certificate) {
			made.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageAny}
		}),
		issued("an authority for clients only, with the identifier of servers elsewhere", func(made *x509.Certificate) {
			made.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
			made.ExtraExtensions = []pkix.Extension{serversElsewhere()}
		}),
		issued("an authority with a critical extension that nobody knows", func(made *x509.Certificate) {
			made.ExtraExtensions = []pkix.Extension{unknown(true)}
		}),
		{"a self-signed certificate that is its own authority", func() handshake {
			own := signed(server(), p256(), nil)
			return under(own, own)
		}},
		{"a self-signed authority that is the server's certificate", func() handshake {
			made := server()
			made.IsCA, made.BasicConstraintsValid = true, true
			own := signed(made, p256(), nil)
			return under(own, own)
		}},
		{"a self-signed authority for clients that is the server's certificate", func() handshake {
			made := server()
			made.IsCA, made.BasicConstraintsValid = true, true
			made.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
			own := signed(made, p256(), nil)
			return under(own, own)
		}},
		{"a self-signed authority for clients, with the identifier of servers elsewhere, that is the server's certificate", func() handshake {
			made := server()
			made.IsCA, made.BasicConstraintsValid = true, true
			made.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
			made.ExtraExtensions = []pkix.Extension{serversElsewhere()}
			own := signed(made, p256(), nil)
			return under(own, own)
		}},
		pinned("the server's certificate as its authority", func(*x509.Certificate) {}),
		pinned("the server's expired certificate as its authority", func(made *x509.Certificate) {
			made.NotBefore, made.NotAfter = time.Now().Add(-48*time.Hour), time.Now().Add(-time.Hour)
		}),
		pinned("the server's certificate of another address as its authority", func(made *x509.Certificate) {
			made.IPAddresses = []net.IP{net.IPv4(127, 9, 9, 9)}
		}),
		pinned("the server's certificate for clients as its authority", func(made *x509.Certificate) {
			made.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
		}),
		{"another certificate of the same name as authority", func() handshake {
			authority := root()
			return under(signed(server(), p256(), authority), signed(server(), p256(), authority))
		}},
		leaf("a server certificate that is marked as an authority", func(made *x509.Certificate) {
			made.IsCA, made.BasicConstraintsValid = true, true
		}),
	}
}

// pinned is a kind whose server's certificate stands in as its authority, and the one that signed it is not known.
func pinned(name string, change func(made *x509.Certificate)) kind {
	return kind{name, func() handshake {
		made := server()
		change(made)
		own := signed(made, p256(), root())
		return under(own, own)
	}}
}

func chains() []kind {
	// between makes a root, an authority between and a server.
	between := func(change func(root, between *x509.Certificate)) (*identity, *identity, *identity) {
		top, middle := ca("authority"), ca("between")
		change(top, middle)
		authority := signed(top, p256(), nil)
		inner := signed(middle, p256(), authority)
		return authority, inner, signed(server(), p256(), inner)
	}
	ordinary := func(*x509.Certificate, *x509.Certificate) {}
	sent := func(name string, change func(root, between *x509.Certificate)) kind {
		return kind{name, func() handshake {
			authority, inner, own := between(change)
			return under(own, authority, inner)
		}}
	}
	return []kind{
		sent("an authority between", ordinary),
		{"an authority between that is not sent", func() handshake {
			authority, _, own := between(ordinary)
			return under(own, authority)
		}},
		{"an authority between that is trusted alone", func() handshake {
			_, inner, own := between(ordinary)
			return under(own, inner)
		}},
		{"a chain out of order with a stranger in it", func() handshake {
			authority, inner, own := between(ordinary)
			return under(own, authority, root(), authority, inner)
		}},
		sent("an authority that allows none between", func(root, _ *x509.Certificate) { root.MaxPathLenZero = true }),
		{"an authority between that allows none below it, and has one", func() handshake {
			authority := root()
			middle := ca("between")
			middle.MaxPathLenZero = true
			inner := signed(middle, p256(), authority)
			lower := signed(ca("lower"), p256(), inner)
			return under(signed(server(), p256(), lower), authority, lower, inner)
		}},
		sent("an authority between that says it is none", func(_, between *x509.Certificate) { between.IsCA = false }),
		sent("an authority between that may not sign certificates", func(_, between *x509.Certificate) {
			between.KeyUsage = x509.KeyUsageDigitalSignature
		}),
		sent("an authority between for clients only", func(_, between *x509.Certificate) {
			between.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
		}),
		sent("an authority between for any use", func(_, between *x509.Certificate) {
			between.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageAny}
		}),
		sent("an authority that allows one between", func(root, _ *x509.Certificate) { root.MaxPathLen = 1 }),
		sent("an authority between with a critical extension that nobody knows", func(_, between *x509.Certificate) {
			between.ExtraExtensions = []pkix.Extension{unknown(true)}
		}),
		sent("an authority between that has expired", func(_, between *x509.Certificate) {
			between.NotBefore, between.NotAfter = time.Now().Add(-48*time.Hour), time.Now().Add(-time.Hour)
		}),
		sent("an authority between that permits other addresses", func(_, between *x509.Certificate) {
			between.PermittedIPRanges = []*net.IPNet{{IP: net.IPv4(10, 0, 0, 0).To4(), Mask: net.CIDRMask(8, 32)}}
		}),
		{"seven authorities between", func() handshake {
			authority := root()
			issuer, all := authority, []*identity(nil)
			for _, name := range []string{"1", "2", "3", "4", "5", "6", "7"} {
				issuer = signed(ca(name), p256(), issuer)
				all = append(all, issuer)
			}
			return under(signed(server(), p256(), issuer), authority, all...)
		}},
		{"an authority among others in a bundle with text", func() handshake {
			authority := root()
			text := append([]byte("# our authorities\n"), bundle(root(), version1("old", p256(), nil, "old", -time.Hour, time.Hour))...)
			text = append(text, "\nSubject: the one\n"...)
			return handshake{config: chain(signed(server(), p256(), authority)), authority: append(text, bundle(authority)...)}
		}},
	}
}

func fields() []kind {
	past, future := time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	return []kind{
		leaf("a certificate that has expired", func(made *x509.Certificate) {
			made.NotBefore, made.NotAfter = past.Add(-time.Hour), past
		}),
		leaf("a certificate that is not valid yet", func(made *x509.Certificate) {
			made.NotBefore, made.NotAfter = future, future.Add(time.Hour)
		}),
		leaf("a certificate that never expires", func(made *x509.Certificate) {
			made.NotAfter = time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)
		}),
		{"a serial number of nought", func() handshake { return serialled(0) }},
		leaf("a serial number of twenty octets and one", func(made *x509.Certificate) {
			made.SerialNumber = new(big.Int).Lsh(big.NewInt(1), 158)
		}),
		leaf("a serial number of thirty octets", func(made *x509.Certificate) {
			made.SerialNumber = new(big.Int).Lsh(big.NewInt(1), 238)
		}),
		leaf("a critical extension that nobody knows", func(made *x509.Certificate) {
			made.ExtraExtensions = []pkix.Extension{unknown(true)}
		}),
		leaf("an extension that nobody knows", func(made *x509.Certificate) {
			made.ExtraExtensions = []pkix.Extension{unknown(false)}
		}),
		leaf("a certificate for clients only", func(made *x509.Certificate) {
			made.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
		}),
		leaf("a certificate for any use", func(made *x509.Certificate) {
			made.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageAny}
		}),
		leaf("a certificate that names no use", func(made *x509.Certificate) { made.ExtKeyUsage = nil }),
		leaf("a certificate whose key may only be agreed on", func(made *x509.Certificate) {
			made.KeyUsage = x509.KeyUsageKeyAgreement
		}),
	}
}

// serialled is a server with a serial number of one octet.
func serialled(octet byte) handshake {
	authority := root()
	return under(reserialled(server(), authority, octet), authority)
}

func unknown(critical bool) pkix.Extension {
	return pkix.Extension{Id: asn1.ObjectIdentifier{1, 3, 6, 1, 4, 1, 99999, 1}, Critical: critical, Value: []byte{5, 0}}
}

func protocols() []kind {
	speaking := func(name string, change func(config *tls.Config)) kind {
		return kind{name, func() handshake {
			authority := root()
			made := under(signed(server(), p256(), authority), authority)
			change(made.config)
			return made
		}}
	}
	return []kind{
		{"no TLS", func() handshake { return handshake{authority: bundle(root()), plain: true} }},
		speaking("TLS 1.1 and no newer", func(config *tls.Config) {
			config.MinVersion, config.MaxVersion = tls.VersionTLS10, tls.VersionTLS11
		}),
		speaking("TLS 1.2 and no newer", func(config *tls.Config) { config.MaxVersion = tls.VersionTLS12 }),
		speaking("TLS 1.3 and no older", func(config *tls.Config) { config.MinVersion = tls.VersionTLS13 }),
		speaking("a cipher of CBC", func(config *tls.Config) {
			config.MaxVersion = tls.VersionTLS12
			config.CipherSuites = []uint16{tls.TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA}
		}),
		{"a cipher without forward secrecy", func() handshake {
			authority := root()
			made := under(signed(server(), rsaKey(2048), authority), authority)
			made.config.MaxVersion = tls.VersionTLS12
			made.config.CipherSuites = []uint16{tls.TLS_RSA_WITH_AES_128_GCM_SHA256}
			return made
		}},
		speaking("an exchange of keys by P-521", func(config *tls.Config) {
			config.CurvePreferences = []tls.CurveID{tls.CurveP521}
		}),
	}
}

func clients() []kind {
	with := func(name string, make func(authority *identity) *identity) kind {
		return kind{name, func() handshake {
			authority := root()
			made := under(signed(server(), p256(), authority), authority)
			made.config.ClientAuth = tls.RequireAndVerifyClientCert
			made.config.ClientCAs = x509.NewCertPool()
			made.config.ClientCAs.AddCert(got(x509.ParseCertificate(authority.der)))
			made.client = make(authority)
			return made
		}}
	}
	person := func() *x509.Certificate {
		made := template("ann")
		made.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
		return made
	}
	keyed := func(name string, key func() crypto.Signer) kind {
		return with("a client's key of "+name, func(authority *identity) *identity {
			return signed(person(), key(), authority)
		})
	}
	return []kind{
		keyed("ECDSA P-256", p256),
		keyed("ECDSA P-384", func() crypto.Signer { return ec(elliptic.P384()) }),
		keyed("ECDSA P-521", func() crypto.Signer { return ec(elliptic.P521()) }),
		keyed("Ed25519", ed),
		keyed("RSA 2048", func() crypto.Signer { return rsaKey(2048) }),
		keyed("RSA 1024", func() crypto.Signer { return rsaKey(1024) }),
		with("a client's certificate of version 1", func(authority *identity) *identity {
			return version1("ann", p256(), authority, "authority", -time.Hour, time.Hour)
		}),
		with("a client's certificate signed with SHA-1", func(authority *identity) *identity {
			return sha1Signed(signed(person(), p256(), authority), authority.key)
		}),
		with("a client's certificate that has expired", func(authority *identity) *identity {
			made := person()
			made.NotBefore, made.NotAfter = time.Now().Add(-48*time.Hour), time.Now().Add(-time.Hour)
			return signed(made, p256(), authority)
		}),
		with("a client's certificate of another authority", func(*identity) *identity {
			return signed(person(), p256(), root())
		}),
		with("a client's certificate with a serial number below nought", func(authority *identity) *identity {
			return reserialled(person(), authority, 0xff)
		}),
		with("no client's certificate", func(*identity) *identity { return nil }),
	}
}
