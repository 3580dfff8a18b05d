package io.despina.registry;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.despina.json.Json;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

/** A registry of this process: the calls of Confluent's that we use. */
public final class FakeRegistry implements AutoCloseable {
    /** A schema, as the registry tells it. */
    private record Entry(String subject, String type, String schema, String references) {
    }

    /** Each request: its method and path. */
    public final List<String> requests = new CopyOnWriteArrayList<>();
    private final Map<Integer, Entry> schemas = new LinkedHashMap<>();
    private final List<Integer> failures = new ArrayList<>();
    private final HttpServer server;
    /** What the header must be; null for any. */
    private volatile String login;
    /** What it says in place of all else; null for nothing. */
    private volatile String said;

    public FakeRegistry() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::answer);
        server.start();
    }

    public String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    public RegistryPlace place() {
        return new RegistryPlace(url(), null, null);
    }

    public FakeRegistry schema(int id, String subject, String schema) {
        return schema(id, subject, "AVRO", schema, "[]");
    }

    /** One that is not plain Avro. */
    public synchronized FakeRegistry schema(int id, String subject, String type, String schema, String references) {
        schemas.put(id, new Entry(subject, type, schema, references));
        return this;
    }

    /** The next requests are answered with these codes. */
    public synchronized FakeRegistry failing(Integer... codes) {
        failures.addAll(List.of(codes));
        return this;
    }

    public FakeRegistry wanting(String header) {
        login = header;
        return this;
    }

    public FakeRegistry saying(String body) {
        said = body;
        return this;
    }

    private void answer(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getRawPath();
        String query = exchange.getRequestURI().getRawQuery();
        requests.add(exchange.getRequestMethod() + " " + path + (query == null ? "" : "?" + query));
        byte[] body = exchange.getRequestBody().readAllBytes();
        String given = exchange.getRequestHeaders().getFirst("Authorization");
        int code = login != null && !login.equals(given) ? 401 : failure();
        String text = code != 200 ? error(code, "not now") : said != null ? said : found(exchange.getRequestMethod(), path, body);
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(code != 200 ? code : text.contains("error_code") ? 404 : 200, bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    private synchronized int failure() {
        return failures.isEmpty() ? 200 : failures.remove(0);
    }

    private static String error(int code, String message) {
        return Json.text(Json.object().put("error_code", code * 100 + 1).put("message", message));
    }

    private synchronized String found(String method, String path, byte[] body) throws IOException {
        String[] parts = path.substring(1).split("/");
        if (path.equals("/schemas/types")) {
            return "[\"AVRO\"]";
        }
        if (parts[0].equals("schemas")) {
            return shown(schemas.get(Integer.parseInt(parts[2])));
        }
        String subject = java.net.URLDecoder.decode(parts[1], StandardCharsets.UTF_8);
        if (method.equals("GET") && !parts[3].equals("latest")) {
            return shown(schemas.values().stream().filter(each -> each.subject.equals(subject)).findFirst().orElse(null));
        }
        if (method.equals("GET")) {
            return schemas.entrySet().stream().filter(each -> each.getValue().subject.equals(subject))
                    .mapToInt(Map.Entry::getKey).max().stream()
                    .mapToObj(id -> "{\"id\": " + id + ", " + shown(schemas.get(id)).substring(1)).findFirst()
                    .orElse(error(404, "Subject not found"));
        }
        JsonNode schema = Json.tree(body).get("schema");
        for (Map.Entry<Integer, Entry> each : schemas.entrySet()) {
            if (each.getValue().subject.equals(subject) && each.getValue().schema.equals(schema.asText())) {
                return "{\"id\": " + each.getKey() + "}";
            }
        }
        if (parts.length == 2) {
            return error(404, "Schema not found");
        }
        int id = 100 + schemas.size();
        schemas.put(id, new Entry(subject, "AVRO", schema.asText(), "[]"));
        return "{\"id\": " + id + "}";
    }

    private static String shown(Entry found) {
        if (found == null) {
            return error(404, "Schema not found");
        }
        return "{\"schema\": " + Json.text(Json.object().textNode(found.schema)) + (found.type.equals("AVRO") ? ""
                : ", \"schemaType\": \"" + found.type + "\"") + ", \"references\": " + found.references + "}";
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
