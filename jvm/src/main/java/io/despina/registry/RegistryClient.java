package io.despina.registry;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import io.despina.json.Json;
import io.despina.registry.RegistryException.Why;
import io.despina.socket.HttpAnswer;
import java.io.IOException;
import java.net.ConnectException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeoutException;

/** Asks a registry. Each call blocks, for some seconds at most; any thread may call. It keeps nothing of what it was told. */
public final class RegistryClient {
    private static final int MOST_BYTES = 4 << 20;
    private static final String DESCRIPTOR = "?format=serialized";
    private static final int MOST_WORDS = 300;
    private static final String JSON = "application/vnd.schemaregistry.v1+json";

    private final RegistryPlace place;
    private final long millis;
    /** Guarded by this; null before the first call. */
    private HttpClient http;

    /** @param millis how long a call may take, from the connection to the end of the answer */
    public RegistryClient(RegistryPlace place, long millis) {
        this.place = place;
        this.millis = Math.max(1, millis);
    }

    /**
     * A schema that the registry has.
     *
     * @param type       {@code AVRO}, {@code PROTOBUF} or {@code JSON}
     * @param text       of the schema
     * @param references schemas that it is not whole without
     */
    public record Found(String type, String text, List<Reference> references) {
    }

    /** A schema with the number under which the registry has it. */
    public record Numbered(int id, Found found) {
    }

    /** A schema, as another one names it. */
    public record Reference(String subject, int version) {
    }

    /** The schema with that number. */
    public Found schema(int id) throws RegistryException {
        return found("/schemas/ids/" + id, "schema " + id);
    }

    /** The schema with that number: if it is of Protobuf, its text is a FileDescriptorProto in base 64. */
    public Found descriptor(int id) throws RegistryException {
        return found("/schemas/ids/" + id + DESCRIPTOR, "schema " + id + " as a descriptor");
    }

    /** The same of a schema that another one names. */
    public Found descriptor(Reference of) throws RegistryException {
        return found("/subjects/" + encoded(of.subject) + "/versions/" + of.version + DESCRIPTOR, "version " + of.version
                + " of the subject `" + of.subject + "` as a descriptor");
    }

    /** The same of the newest schema of a subject. */
    public Numbered newestDescriptor(String subject) throws RegistryException {
        String what = "the newest version of the subject `" + subject + "` as a descriptor";
        JsonNode answer = asked("/subjects/" + encoded(subject) + "/versions/latest" + DESCRIPTOR, null, what);
        return new Numbered(number(answer, subject), found(answer, what));
    }

    private Found found(String path, String what) throws RegistryException {
        return found(asked(path, null, what), what);
    }

    private Found found(JsonNode answer, String what) throws RegistryException {
        JsonNode text = answer.path("schema");
        if (!text.isTextual()) {
            throw new RegistryException(Why.REFUSED, words("gives no text for " + what), null);
        }
        List<Reference> references = new ArrayList<>();
        answer.path("references").forEach(each -> references.add(new Reference(each.path("subject").asText(),
                each.path("version").asInt())));
        return new Found(answer.path("schemaType").asText("AVRO"), text.asText(), List.copyOf(references));
    }

    /** Registers an Avro schema under a subject, unless it is there. @return its number */
    public int register(String subject, String schema) throws RegistryException {
        return number(asked("/subjects/" + encoded(subject) + "/versions", schema, "subject `" + subject + "`"), subject);
    }

    /** The number of a schema that the subject has. */
    public int find(String subject, String schema) throws RegistryException {
        return number(asked("/subjects/" + encoded(subject), schema, "this schema under the subject `" + subject + "`"), subject);
    }

    /** The number of the latest schema of a subject. */
    public int latest(String subject) throws RegistryException {
        return number(asked("/subjects/" + encoded(subject) + "/versions/latest", null, "subject `" + subject + "`"), subject);
    }

    /** Asks for what any registry has, to see whether it answers and lets us in. */
    public void probe() throws RegistryException {
        JsonNode types = asked("/schemas/types", null, "types of schemas");       // few, however much else it has
        if (!types.isArray()) {
            throw new RegistryException(Why.REFUSED, words("gives no types of schemas"), null);
        }
    }

    private int number(JsonNode answer, String subject) throws RegistryException {
        if (!answer.path("id").isInt()) {
            throw new RegistryException(Why.REFUSED, words("gives no number for the subject `" + subject + "`"), null);
        }
        return answer.get("id").asInt();
    }

    private static String encoded(String subject) {
        return URLEncoder.encode(subject, StandardCharsets.UTF_8).replace("+", "%20");
    }

    private String words(String rest) {
        return "`registry` " + place.url() + " " + rest;
    }

    /** @param schema to be posted; null to get @param what is asked for, for messages */
    private JsonNode asked(String path, String schema, String what) throws RegistryException {
        try {
            HttpResponse<byte[]> answer = HttpAnswer.of(http(), request(path, schema), MOST_BYTES + 1, millis);
            if (answer.body().length > MOST_BYTES) {
                throw new RegistryException(Why.REFUSED, words("answers with more than " + MOST_BYTES + " bytes"), null);
            }
            if (answer.statusCode() != HttpURLConnection.HTTP_OK) {
                throw refused(answer.statusCode(), answer.body(), what);
            }
            return Json.tree(answer.body());
        } catch (RegistryException e) {
            throw e;
        } catch (JsonProcessingException e) {
            throw new RegistryException(Why.REFUSED, words("does not answer as a registry does: what it sends is no JSON"), e);
        } catch (IOException e) {
            String why = e instanceof ConnectException && e.getMessage() == null    // Java's client leaves it out
                    ? "nobody listens there, or the host is unknown" : e.getMessage();
            throw new RegistryException(Why.AWAY, words("does not answer: " + why), e);
        } catch (TimeoutException e) {
            throw new RegistryException(Why.AWAY, words("does not answer within " + millis + " ms"), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RegistryException(Why.AWAY, words("was not waited for"), e);
        }
    }

    private synchronized HttpClient http() throws RegistryException {
        if (http == null) {
            HttpClient.Builder builder = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1);
            try {
                http = (place.tls() == null ? builder : builder.sslContext(place.tls().context())).build();
            } catch (IOException secret) {
                throw unread(secret);
            }
        }
        return http;
    }

    private HttpRequest request(String path, String schema) throws RegistryException {
        HttpRequest.Builder request;
        try {
            request = HttpRequest.newBuilder(URI.create(place.url() + path));
            if (place.login() != null) {
                request.header("Authorization", place.login().header());
            }
        } catch (IOException secret) {
            throw unread(secret);
        } catch (IllegalArgumentException why) {
            throw new RegistryException(Why.REFUSED, words("cannot be asked: " + why.getMessage()), why);
        }
        request.header("Accept", JSON + ", application/json");
        if (schema == null) {
            return request.build();
        }
        byte[] body = Json.bytes(Json.object().put("schema", schema));
        return request.header("Content-Type", JSON).POST(HttpRequest.BodyPublishers.ofByteArray(body)).build();
    }

    private static RegistryException unread(IOException secret) {
        return new RegistryException(Why.REFUSED, "`registry`: " + secret.getMessage(), secret);
    }

    private RegistryException refused(int status, byte[] body, String what) {
        String said = said(body);
        String more = said.isEmpty() ? "" : ": " + said;
        return switch (status) {
            case HttpURLConnection.HTTP_NOT_FOUND -> new RegistryException(Why.UNKNOWN, words("does not have " + what + more),
                    null);
            case HttpURLConnection.HTTP_NOT_IMPLEMENTED -> new RegistryException(Why.UNKNOWN, words("cannot give " + what + more),
                    null);
            case HttpURLConnection.HTTP_UNAUTHORIZED -> new RegistryException(Why.REFUSED, words("does not take the login (401)"
                    + (place.login() == null ? ": it wants one, and there is none" : more)), null);
            case HttpURLConnection.HTTP_FORBIDDEN -> new RegistryException(Why.REFUSED, words("does not allow it (403)" + more),
                    null);
            case HttpURLConnection.HTTP_CLIENT_TIMEOUT, 429 -> new RegistryException(Why.AWAY, words("answers " + status + more),
                    null);
            default -> new RegistryException(status >= HttpURLConnection.HTTP_INTERNAL_ERROR ? Why.AWAY : Why.REFUSED,
                    words("answers " + status + " for " + what + more), null);
        };
    }

    /** What it says of an error. */
    private static String said(byte[] body) {
        String text;
        try {
            text = Json.tree(body).path("message").asText("");
        } catch (IOException noJson) {
            return "";
        }
        return text.length() > MOST_WORDS ? text.substring(0, MOST_WORDS) + "…" : text;
    }
}
