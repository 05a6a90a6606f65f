package main

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha1"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/pem"
	"math/big"
	"net"
	"time"
)

// A certificate with its key.
type identity struct {
	der []byte
	key crypto.Signer
}

// A certificate's structure, so far as it is changed here.
type certificate struct {
	TBS       asn1.RawValue
	Algorithm pkix.AlgorithmIdentifier
	Signature asn1.BitString
}

var (
	sha1WithRSA   = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 1, 5}
	sha1WithECDSA = asn1.ObjectIdentifier{1, 2, 840, 10045, 4, 1}
)

func ec(curve elliptic.Curve) crypto.Signer { return got(ecdsa.GenerateKey(curve, rand.Reader)) }

func p256() crypto.Signer { return ec(elliptic.P256()) }

func rsaKey(bits int) crypto.Signer { return got(rsa.GenerateKey(rand.Reader, bits)) }

func ed() crypto.Signer {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	must(err)
	return key
}

var serial int64

// template is an ordinary certificate of a name, valid around now.
func template(name string) *x509.Certificate {
	serial++
	now := time.Now()
	return &x509.Certificate{
		SerialNumber: big.NewInt(serial),
		Subject:      pkix.Name{CommonName: name},
		NotBefore:    now.Add(-time.Hour),
		NotAfter:     now.Add(24 * time.Hour),
	}
}

// ca is the template of an authority.
func ca(name string) *x509.Certificate {
	made := template(name)
	made.IsCA, made.BasicConstraintsValid = true, true
	made.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageCRLSign
	return made
}

// server is the template of a server's certificate.
func server() *x509.Certificate {
	made := template("server")
	made.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1)}
	made.DNSNames = []string{"localhost"}
	made.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	return made
}

// signed makes a certificate; without an issuer it signs itself.
func signed(made *x509.Certificate, key crypto.Signer, issuer *identity) *identity {
	if issuer == nil {
		return &identity{got(x509.CreateCertificate(rand.Reader, made, made, key.Public(), key)), key}
	}
	parent, err := x509.ParseCertificate(issuer.der)
	if err != nil {
		// It is of a kind that Go refuses.
		parent = ca("authority")
	}
	return &identity{got(x509.CreateCertificate(rand.Reader, made, parent, key.Public(), issuer.key)), key}
}

// root is an ordinary authority.
func root() *identity { return signed(ca("authority"), p256(), nil) }

// rewritten changes the text of a certificate and signs it anew. Both lengths of what is changed are the same, so that
// no other length changes.
func rewritten(of *identity, issuer crypto.Signer, change func(tbs []byte) []byte) *identity {
	var whole certificate
	got(asn1.Unmarshal(of.der, &whole))
	tbs := change(whole.TBS.FullBytes)
	whole.TBS = asn1.RawValue{FullBytes: tbs}
	digest := crypto.SHA256.New()
	digest.Write(tbs)
	whole.Signature = bits(got(issuer.Sign(rand.Reader, digest.Sum(nil), crypto.SHA256)))
	return &identity{got(asn1.Marshal(whole)), of.key}
}

// sha1Signed is the same certificate with a signature of SHA-1.
func sha1Signed(of *identity, issuer crypto.Signer) *identity {
	var whole certificate
	got(asn1.Unmarshal(of.der, &whole))
	old := got(asn1.Marshal(whole.Algorithm))
	algorithm := pkix.AlgorithmIdentifier{Algorithm: sha1WithECDSA}
	if _, is := issuer.(*rsa.PrivateKey); is {
		algorithm = pkix.AlgorithmIdentifier{Algorithm: sha1WithRSA, Parameters: asn1.NullRawValue}
	}
	// The algorithm stands in the signed text, too, and its name may be of another length.
	var inner asn1.RawValue
	got(asn1.Unmarshal(whole.TBS.FullBytes, &inner))
	body := bytes.Replace(inner.Bytes, old, got(asn1.Marshal(algorithm)), 1)
	tbs := got(asn1.Marshal(asn1.RawValue{Tag: asn1.TagSequence, IsCompound: true, Bytes: body}))
	digest := sha1.Sum(tbs)
	signature := got(issuer.Sign(rand.Reader, digest[:], crypto.SHA1))
	return &identity{got(asn1.Marshal(certificate{asn1.RawValue{FullBytes: tbs}, algorithm, bits(signature)})), of.key}
}

// reserialled is a certificate with a serial number of one octet that x509 would not write; without an issuer it signs itself.
func reserialled(made *x509.Certificate, issuer *identity, octet byte) *identity {
	made.SerialNumber = big.NewInt(0x55)
	of := signed(made, p256(), issuer)
	if issuer == nil {
		issuer = of
	}
	return rewritten(of, issuer.key, func(tbs []byte) []byte {
		return bytes.Replace(tbs, []byte{2, 1, 0x55}, []byte{2, 1, octet}, 1)
	})
}

// version1 is a certificate of X.509 version 1: no version, no extensions, and so no names but the subject.
func version1(name string, key crypto.Signer, issuer *identity, issuerName string, from, to time.Duration) *identity {
	signer := key
	if issuer != nil {
		signer = issuer.key
	}
	algorithm := pkix.AlgorithmIdentifier{Algorithm: asn1.ObjectIdentifier{1, 2, 840, 10045, 4, 3, 2}}
	var public asn1.RawValue
	got(asn1.Unmarshal(got(x509.MarshalPKIXPublicKey(key.Public())), &public))
	type validity struct{ NotBefore, NotAfter time.Time }
	tbs := got(asn1.Marshal(struct {
		Serial    *big.Int
		Algorithm pkix.AlgorithmIdentifier
		Issuer    pkix.RDNSequence
		Validity  validity
		Subject   pkix.RDNSequence
		Key       asn1.RawValue
	}{
		big.NewInt(7), algorithm, pkix.Name{CommonName: issuerName}.ToRDNSequence(),
		validity{time.Now().Add(from).UTC(), time.Now().Add(to).UTC()},
		pkix.Name{CommonName: name}.ToRDNSequence(), public,
	}))
	digest := crypto.SHA256.New()
	digest.Write(tbs)
	signature := got(signer.Sign(rand.Reader, digest.Sum(nil), crypto.SHA256))
	return &identity{got(asn1.Marshal(certificate{asn1.RawValue{FullBytes: tbs}, algorithm, bits(signature)})), key}
}

func bits(bytes []byte) asn1.BitString {
	return asn1.BitString{Bytes: bytes, BitLength: 8 * len(bytes)}
}

// chain is what a server sends and proves.
func chain(leaf *identity, more ...*identity) *tls.Config {
	sent := tls.Certificate{Certificate: [][]byte{leaf.der}, PrivateKey: leaf.key}
	for _, other := range more {
		sent.Certificate = append(sent.Certificate, other.der)
	}
	return &tls.Config{Certificates: []tls.Certificate{sent}}
}

// bundle is a file of authorities.
func bundle(authorities ...*identity) []byte {
	var text []byte
	for _, authority := range authorities {
		text = append(text, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: authority.der})...)
	}
	return text
}

func (of *identity) pem() (string, string) {
	key := got(x509.MarshalPKCS8PrivateKey(of.key))
	return string(bundle(of)), string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key}))
}
