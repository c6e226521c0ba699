package image

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"syscall"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/olmgraph/olmgraph/catalogs/words"
)

// registryStore reads from one repository of a registry.
type registryStore struct {
	puller *remote.Puller
	repo   name.Repository
	first  *remote.Descriptor // what the reference names
}

// ParseRegistry returns the registry that the name of an image leads to.
func ParseRegistry(ref string) (string, error) {
	parsed, err := name.ParseReference(ref)
	if err != nil {
		return "", err
	}
	if registry := parsed.Context().RegistryStr(); registry != name.DefaultRegistry {
		return registry, nil
	}
	return "docker.io", nil
}

func openRegistry(ctx context.Context, ref string, o Options) (*imageSource, error) {
	var options []name.Option
	if o.Insecure {
		options = append(options, name.Insecure)
	}
	parsed, err := name.ParseReference(ref, options...)
	if err != nil {
		return nil, fmt.Errorf("expected the name of an image, as quay.io/operatorhubio/catalog:latest: %w", err)
	}
	tr := newTransport(o.Insecure)
	tr.DialContext = dialRegistry(tr.DialContext, parsed.Context().RegistryStr())
	if o.shared != nil {
		tr.Transport, tr.named = o.shared, o.named
	}
	puller, err := remote.NewPuller(remote.WithAuthFromKeychain(keychain()), remote.WithTransport(tr),
		remote.WithUserAgent("olmgraph"), remote.WithRetryBackoff(backoff()))
	if err != nil {
		return nil, err
	}
	first, err := puller.Get(ctx, parsed)
	if err != nil {
		return nil, registryError(ctx, parsed, err)
	}
	media, _, _ := strings.Cut(string(first.MediaType), ";")
	w := indexWalk{store: &registryStore{puller, parsed.Context(), first}}
	err = w.walk(ctx, v1.Descriptor{MediaType: types.MediaType(media), Digest: first.Digest},
		&candidate{tags: []string{parsed.Name()}})
	if err == nil && len(w.images) == 0 {
		err = fmt.Errorf("no image is there, but something of media type %s", printable(media))
	}
	return &imageSource{images: w.images, store: w.store, close: func() error {
		if o.shared == nil {
			tr.CloseIdleConnections()
		}
		return nil
	}}, err
}

func (s *registryStore) manifest(ctx context.Context, h v1.Hash) (io.ReadCloser, error) {
	if h == s.first.Digest {
		return io.NopCloser(bytes.NewReader(s.first.Manifest)), nil
	}
	d, err := s.puller.Get(ctx, s.repo.Digest(h.String()))
	if err != nil {
		return nil, registryError(ctx, s.repo.Digest(h.String()), err)
	}
	return io.NopCloser(bytes.NewReader(d.Manifest)), nil
}

func (s *registryStore) blob(ctx context.Context, h v1.Hash) (io.ReadCloser, error) {
	ref := s.repo.Digest(h.String())
	l, err := s.puller.Layer(ctx, ref)
	if err != nil {
		return nil, registryError(ctx, ref, err)
	}
	r, err := l.Compressed()
	if err != nil {
		return nil, registryError(ctx, ref, err)
	}
	return &remoteBlob{r, ctx, ref}, nil
}

// remoteBlob returns the errors of a blob that is being read as those of the registry.
type remoteBlob struct {
	io.ReadCloser
	ctx context.Context
	ref name.Reference
}

func (b *remoteBlob) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && err != io.EOF {
		err = registryError(b.ctx, b.ref, err)
	}
	return n, err
}

// backoff is shorter than that of the library, which cannot be interrupted.
func backoff() remote.Backoff {
	return remote.Backoff{Duration: 300 * time.Millisecond, Factor: 3, Jitter: 0.1, Steps: 3}
}

// stallTimeout is how long a registry may send nothing.
const stallTimeout = time.Minute

// newTransport returns the library's transport with limits for waiting, requests and the size of manifests.
func newTransport(insecure bool) *boundedTransport {
	t := remote.DefaultTransport.(*http.Transport).Clone()
	t.ResponseHeaderTimeout = stallTimeout
	if insecure {
		t.TLSClientConfig = &tls.Config{InsecureSkipVerify: true}
	}
	return &boundedTransport{Transport: t, stall: stallTimeout, budget: newRequestBudget(maxWait)}
}

// boundedTransport is a transport that ends responses which stall or are too slow.
type boundedTransport struct {
	*http.Transport
	stall  time.Duration
	budget *requestBudget
	named  func(host string) bool // may be without TLS; nil: all
}

func (t *boundedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := t.try(r)
	for n := 0; err == nil && n < maxRetries && r.Body == nil; n++ {
		wait := retryAfter(answer, n)
		if wait == 0 || wait > t.budget.remainingWait() {
			break
		}
		t.budget.spend(wait, 0)
		answer.Body.Close()
		select {
		case <-r.Context().Done():
			return nil, r.Context().Err()
		case <-time.After(wait):
		}
		answer, err = t.try(r)
	}
	return answer, err
}

// try makes a request once.
func (t *boundedTransport) try(r *http.Request) (*http.Response, error) {
	err := t.budget.request(r)
	if err == nil && r.URL.Scheme == "http" && t.named != nil && !t.named(r.URL.Host) {
		err = errPlain
	}
	if err != nil {
		if r.Body != nil {
			r.Body.Close()
		}
		return nil, err
	}
	began := time.Now()
	answer, err := t.Transport.RoundTrip(r)
	t.budget.spend(time.Since(began), 0)
	if err != nil {
		return nil, err
	}
	b := &body{ReadCloser: answer.Body, left: maxUnpacked, stall: t.stall, budget: t.budget}
	if strings.Contains(r.URL.Path, "/manifests/") {
		b.left = maxJSON
	}
	b.timer = time.AfterFunc(b.stall, func() { b.ReadCloser.Close() })
	b.timer.Stop() // until Read is called
	answer.Body = b
	return answer, nil
}

// body is the body of a response.
type body struct {
	io.ReadCloser
	timer  *time.Timer // closes the body
	stall  time.Duration
	budget *requestBudget
	left   int64
}

var (
	errStalled = errors.New("it stopped in the middle of an answer")
	errLong    = fmt.Errorf("it sent a manifest of more than %d MiB", maxJSON>>20)
)

func (b *body) Read(p []byte) (int, error) {
	wait := b.budget.remainingWait()
	if wait == 0 {
		return 0, errSlow
	}
	b.timer.Reset(min(wait, b.stall))
	began := time.Now()
	n, err := b.ReadCloser.Read(p)
	b.budget.spend(time.Since(began), n)
	if !b.timer.Stop() {
		if wait < b.stall {
			b.budget.spend(wait, 0) // what was received meanwhile leaves nothing for another request
			return n, errSlow
		}
		return n, errStalled
	}
	if b.left -= int64(n); b.left < 0 {
		return n, errLong
	}
	return n, err
}

func (b *body) Close() error {
	b.timer.Stop()
	return b.ReadCloser.Close()
}

// registryError returns the error for a failed request to a registry.
func registryError(ctx context.Context, ref name.Reference, err error) error {
	host := ref.Context().RegistryStr()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	_, isCertificate := errors.AsType[*tls.CertificateVerificationError](err)
	answer, isAnswer := errors.AsType[*transport.Error](err)
	dns, isDNS := errors.AsType[*net.DNSError](err)
	operation, isOperation := errors.AsType[*net.OpError](err)
	timeout, isTimeout := errors.AsType[net.Error](err)
	switch {
	case strings.Contains(err.Error(), "invalid proxy address"): // which may have a password in it
		return errors.New("the proxy address of the environment is not valid")
	case isOperation && operation.Op == "proxyconnect":
		return fmt.Errorf("the proxy of the environment does not connect to %s: %s", host, errorText(operation.Err))
	case errors.Is(err, errPrivate):
		return fmt.Errorf("%s: %w", host, errPrivate)
	case errors.Is(err, errLedAway):
		return fmt.Errorf("%s: %w", host, errLedAway)
	case errors.Is(err, errPlain):
		return fmt.Errorf("%s: %w", host, errPlain)
	case isRedirects(err): // before the answer to a first try with TLS
		return fmt.Errorf("%s: %w", host, errRedirects)
	case isCertificate: // before the answer to a second try without TLS
		return fmt.Errorf("untrusted certificate of %s: --insecure accepts it", host)
	case isAnswer:
		return answerError(ref, answer.StatusCode)
	case isDNS && dns.IsNotFound:
		return fmt.Errorf("no such host: %s", dns.Name)
	case strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		return fmt.Errorf("%s does not use TLS: --insecure reads from it without", host)
	case errors.Is(err, syscall.ECONNREFUSED):
		return fmt.Errorf("%s refuses the connection", host)
	case errors.Is(err, errSlow), errors.Is(err, errStalled):
		return tooSlow{errors.New(host + ": " + errorText(err))}
	case isTimeout && timeout.Timeout():
		return tooSlow{errors.New(host + " does not answer in time")}
	}
	return errors.New(host + ": " + errorText(err))
}

// tooSlow is the error of a registry that does not answer in time, or wants fewer requests.
type tooSlow struct{ error }

func answerError(ref name.Reference, status int) error {
	host := ref.Context().RegistryStr()
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return words.Advice{Err: fmt.Errorf("unauthorized: %s does not allow reading %s, or does not have it; log in with podman or docker", host, ref), Command: "podman login " + host}
	case http.StatusNotFound:
		return fmt.Errorf("not found: %s has no %s", host, ref)
	case http.StatusTooManyRequests:
		return tooSlow{fmt.Errorf("too many requests: wait, or log in to %s", host)}
	}
	return fmt.Errorf("%s answers %d %s to a request for %s", host, status, http.StatusText(status), ref)
}

// userInfo matches a name and a password, as in the address of a proxy.
var userInfo = regexp.MustCompile(`[^\s"/]*:[^\s"/]*@`)

// errorText returns the text of an error in one line, without the addresses of requests and the passwords in them.
func errorText(err error) string {
	for {
		asked, ok := errors.AsType[*url.Error](err)
		if !ok {
			break
		}
		err = asked.Err
	}
	return printable(userInfo.ReplaceAllString(strings.Join(strings.Fields(err.Error()), " "), ""))
}
