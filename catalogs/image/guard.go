package image

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"
)

var (
	errLedAway = errors.New("the registry leads to a loopback, private or link-local address, which is not contacted")
	errPrivate = errors.New("a loopback, private or link-local address, which is contacted only if --registry names it")
	errPlain   = errors.New("without TLS: contacted only if --registry names it")
)

// dialNamed returns a dial that connects to addresses which are not public only for hosts that are named, and for the proxy of the
// environment: the names of images come from strangers, and so do redirects and the addresses of tokens. dial is for these.
func dialNamed(dial func(ctx context.Context, network, addr string) (net.Conn, error), named func(host string) bool) func(ctx context.Context, network, addr string) (net.Conn, error) {
	public := dialerTo(isPublic, errPrivate)
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		host, _, err := net.SplitHostPort(addr)
		if err == nil && (named(addr) || named(host) || isProxy(addr)) {
			return dial(ctx, network, addr)
		}
		return public.DialContext(ctx, network, addr)
	}
}

// dialRegistry returns a dial for the images of the registry that the command line names. It may lead to other addresses that are not public,
// as those of a company's store of blobs, only if its own is private too.
func dialRegistry(dial func(ctx context.Context, network, addr string) (net.Conn, error), registry string) func(ctx context.Context, network, addr string) (net.Conn, error) {
	var private atomic.Bool
	others := dialerTo(func(a netip.Addr) bool { return isPublic(a) || private.Load() && a.IsPrivate() }, errLedAway)
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		if addr != registry && addr != registry+":443" && addr != registry+":80" && !isProxy(addr) {
			return others.DialContext(ctx, network, addr)
		}
		conn, err := dial(ctx, network, addr)
		if err == nil {
			at, _ := netip.ParseAddrPort(conn.RemoteAddr().String())
			private.Store(at.Addr().Unmap().IsPrivate())
		}
		return conn, err
	}
}

// dialerTo returns a dialer to some addresses, and the error of others.
func dialerTo(allowed func(netip.Addr) bool, rejected error) *net.Dialer {
	return &net.Dialer{Timeout: 5 * time.Second, KeepAlive: 30 * time.Second, Control: func(_, address string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(address)
		if err != nil || !allowed(at.Addr().Unmap()) {
			return rejected
		}
		return nil
	}}
}

// special has ranges that are not of the Internet, or in which an address of IPv4 can be hidden: behind the NAT of a provider, protocol
// assignments, benchmarks, reserved ones, NAT64, 6to4 and site-local ones (IANA: special-purpose address registries).
var special = []netip.Prefix{netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("192.0.0.0/24"), netip.MustParsePrefix("198.18.0.0/15"),
	netip.MustParsePrefix("240.0.0.0/4"), netip.MustParsePrefix("64:ff9b::/96"), netip.MustParsePrefix("64:ff9b:1::/48"), netip.MustParsePrefix("2002::/16"),
	netip.MustParsePrefix("fec0::/10")}

func isPublic(a netip.Addr) bool {
	return a.IsGlobalUnicast() && !a.IsPrivate() && !slices.ContainsFunc(special, func(p netip.Prefix) bool { return p.Contains(a) })
}

// isProxy reports whether an address is that of the proxy of the environment.
func isProxy(addr string) bool {
	for _, scheme := range []string{"https", "http"} {
		r, err := http.NewRequest(http.MethodGet, scheme+"://registry.example.com/", nil)
		if err != nil {
			continue
		}
		if proxy, err := http.ProxyFromEnvironment(r); err == nil && proxy != nil {
			port := proxy.Port()
			if port == "" {
				port = map[string]string{"https": "443", "socks5": "1080", "socks5h": "1080"}[proxy.Scheme]
			}
			if port == "" {
				port = "80"
			}
			if addr == net.JoinHostPort(proxy.Hostname(), port) {
				return true
			}
		}
	}
	return false
}

const (
	maxRetries    = 3
	maxRetryAfter = time.Minute
)

// retryAfter returns how long a registry asks to wait before the same request; 0 if it does not, or longer than that is waited for.
func retryAfter(answer *http.Response, attempt int) time.Duration {
	if answer.StatusCode != http.StatusTooManyRequests && answer.StatusCode != http.StatusServiceUnavailable {
		return 0
	}
	asked := answer.Header.Get("Retry-After")
	wait := time.Second << attempt
	if seconds, err := strconv.Atoi(asked); err == nil {
		wait = time.Duration(seconds) * time.Second
	} else if at, err := http.ParseTime(asked); err == nil {
		wait = time.Until(at)
	}
	if wait > maxRetryAfter {
		return 0
	}
	return max(wait, time.Second)
}
