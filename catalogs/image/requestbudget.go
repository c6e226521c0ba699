package image

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"
)

const (
	// maxWait bounds the total waiting time for a registry while one image is read. Data that arrives at minRate or faster does not
	// count.
	maxWait = 5 * time.Minute
	minRate = 16 << 10 // bytes a second
	// maxRequests bounds the requests for one image, including redirected ones and those for tokens. Real images take some dozens.
	maxRequests = 5000
	// maxRedirects bounds the redirects of one request, as in net/http. The library allows any number.
	maxRedirects = 10
)

var (
	errSlow         = fmt.Errorf("it sends less than %d KiB a second, and olmgraph has waited for it long enough", minRate>>10)
	errManyRequests = fmt.Errorf("olmgraph makes no more than %d requests to read one image", maxRequests)
	errRedirects    = fmt.Errorf("more than %d redirects in a row", maxRedirects)
)

// requestBudget bounds how long a registry may take and how many requests are made. Waiting time is regained by the bytes that
// arrive, up to the initial time.
type requestBudget struct {
	mu       sync.Mutex
	maxWait  time.Duration
	waitLeft time.Duration
	requests int
}

func newRequestBudget(most time.Duration) *requestBudget {
	return &requestBudget{maxWait: most, waitLeft: most}
}

// spend subtracts the time that was waited for some bytes.
func (p *requestBudget) spend(waited time.Duration, bytes int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waitLeft = min(p.maxWait, max(0, p.waitLeft-waited)+time.Duration(bytes)*time.Second/minRate)
}

// remainingWait returns how long may still be waited.
func (p *requestBudget) remainingWait() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.waitLeft
}

// request counts a request, or returns an error if there were too many.
func (p *requestBudget) request(r *http.Request) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.requests++
	switch {
	case redirects(r) > maxRedirects:
		return errRedirects
	case p.requests > maxRequests:
		return errManyRequests
	case p.waitLeft == 0:
		return errSlow
	}
	return nil
}

// redirects returns how many redirects have led to a request.
func redirects(r *http.Request) int {
	n := 0
	for ; r != nil && r.Response != nil && n <= maxRedirects; r = r.Response.Request {
		n++
	}
	return n
}

// isRedirects reports whether an error is errRedirects, or that of net/http.
func isRedirects(err error) bool {
	return errors.Is(err, errRedirects) || strings.Contains(err.Error(), fmt.Sprintf("stopped after %d redirects", maxRedirects))
}
