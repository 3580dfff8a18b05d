package io.despina.asking;

import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What is done with URLs that are asked. */
final class AskedUrl {
    /** Characters of one that an answer names. */
    static final int MOST = 8_000;

    private AskedUrl() {
    }

    /** The URL with a parameter more in its query. */
    static URI with(URI uri, String parameter, String value) {
        String separator = uri.getRawQuery() == null ? "?" : uri.getRawQuery().isEmpty() ? "" : "&";
        return URI.create(uri + separator + encoded(parameter) + "=" + encoded(value));
    }

    /** The URL without those parameters in its query. */
    static URI without(URI uri, Collection<String> parameters) {
        if (uri.getRawQuery() == null || parameters.isEmpty()) {
            return uri;
        }
        String query = Stream.of(uri.getRawQuery().split("&")).filter(each -> parameters.stream()
                .noneMatch(name -> each.startsWith(encoded(name) + "="))).collect(Collectors.joining("&"));
        String before = beforeQuery(uri);
        return URI.create(query.isEmpty() ? before : before + "?" + query);
    }

    /**
     * What an answer from there calls a URL, without a fragment. As RFC 3986 (5.2) has it: Java's own way differs for a query
     * alone, for nothing, and behind a URL without a path.
     */
    static URI resolved(URI from, String to) {
        String text = to.strip();
        int fragment = text.indexOf('#');
        String named = fragment < 0 ? text : text.substring(0, fragment);
        String before = beforeQuery(from);
        if (named.isEmpty()) {
            return from;
        }
        return named.startsWith("?") ? URI.create(before + named)
                : URI.create(from.getRawPath().isEmpty() ? before + "/" : before).resolve(named);
    }

    private static String beforeQuery(URI uri) {
        String whole = uri.toString();
        int query = whole.indexOf('?');
        return query < 0 ? whole : whole.substring(0, query);
    }

    /** Whether both are of one server. The second may be asked over TLS where the first is not. */
    static boolean areOfOneServer(URI from, URI to) {
        if (to.getHost() == null || !from.getHost().equalsIgnoreCase(to.getHost())) {
            return false;
        }
        boolean secured = from.getScheme().equalsIgnoreCase("http") && "https".equalsIgnoreCase(to.getScheme());
        return secured || from.getScheme().equalsIgnoreCase(to.getScheme()) && port(from) == port(to);
    }

    private static int port(URI uri) {
        return uri.getPort() >= 0 ? uri.getPort() : "https".equalsIgnoreCase(uri.getScheme()) ? 443 : 80;
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }
}
