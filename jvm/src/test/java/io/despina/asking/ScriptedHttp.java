package io.despina.asking;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.despina.asking.AskedServer.Secrets;
import io.despina.asking.AskedServer.Times;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import javax.net.ssl.SSLContext;

/** A server that answers as a test says, and remembers what it was asked. */
final class ScriptedHttp implements AutoCloseable {
    final Queue<Asked> asked = new ConcurrentLinkedQueue<>();
    private final HttpServer server;
    private final boolean secure;

    /** A request: its path with the query, its headers and its body. */
    record Asked(String uri, Map<String, List<String>> headers, String body) {
        String header(String name) {
            return headers.getOrDefault(name.substring(0, 1).toUpperCase(Locale.ROOT)
                    + name.substring(1).toLowerCase(Locale.ROOT), List.of("")).get(0);
        }
    }

    /** What is answered. */
    record Reply(int status, Map<String, String> headers, byte[] body) {
        static Reply of(String body) {
            return of(200, body);
        }

        static Reply of(int status, String body) {
            return new Reply(status, Map.of(), body.getBytes(StandardCharsets.UTF_8));
        }

        Reply with(String name, String value) {
            Map<String, String> more = new TreeMap<>(headers);
            more.put(name, value);
            return new Reply(status, more, body);
        }
    }

    ScriptedHttp(SSLContext tls, Function<Asked, Reply> answers) throws IOException {
        InetSocketAddress at = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        secure = tls != null;
        server = secure ? HttpsServer.create(at, 0) : HttpServer.create(at, 0);
        if (secure) {
            ((HttpsServer) server).setHttpsConfigurator(new HttpsConfigurator(tls));
        }
        server.createContext("/", exchange -> serve(exchange, answers));
        server.start();
    }

    private void serve(HttpExchange exchange, Function<Asked, Reply> answers) throws IOException {
        Asked one = new Asked(exchange.getRequestURI().toString(), Map.copyOf(exchange.getRequestHeaders()),
                new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
        asked.add(one);
        Reply reply = answers.apply(one);
        if (reply != null) {
            reply.headers.forEach(exchange.getResponseHeaders()::set);
            exchange.sendResponseHeaders(reply.status, reply.body.length == 0 ? -1 : reply.body.length);
            exchange.getResponseBody().write(reply.body);
        }
        exchange.close();
    }

    List<String> uris() {
        return asked.stream().map(Asked::uri).toList();
    }

    String url(String path) {
        return (secure ? "https" : "http") + "://127.0.0.1:" + server.getAddress().getPort() + path;
    }

    /** As a source without a login asks it. */
    AskedServer at(String path) {
        return server(path, null);
    }

    AskedServer server(String path, AskedServer.ServerLogin login) {
        return new AskedServer(url(path), Map.of(), new Secrets(Map.of(), Map.of()), login, null, new Times(10_000, 60_000));
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
