package io.despina.registry;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import io.despina.json.Json;
import io.despina.registry.RegistryException.Why;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import javax.net.ssl.HttpsURLConnection;

/** Asks a registry. Each call blocks, for some seconds at most; any thread may call. It keeps nothing of what it was told. */
public final class RegistryClient {
    private static final int MOST_BYTES = 4 << 20;
    private static final int MOST_WORDS = 300;
    private static final String JSON = "application/vnd.schemaregistry.v1+json";

    private final RegistryPlace place;
    private final int millis;

    /** @param millis how long a connection, and then an answer, may take */
    public RegistryClient(RegistryPlace place, long millis) {
        this.place = place;
        this.millis = (int) Math.min(Integer.MAX_VALUE, Math.max(1, millis));
    }

    /**
     * A schema that the registry has.
     *
     * @param type       {@code AVRO}, {@code PROTOBUF} or {@code JSON}
     * @param text       of the schema
     * @param references whether it names schemas that it is not whole without
     */
    public record Found(String type, String text, boolean references) {
    }

    /** @param user may be empty */
    public static String basic(String user, String password) {
        return "Basic " + Base64.getEncoder().encodeToString((user + ":" + password).getBytes(StandardCharsets.UTF_8));
    }

    /** The schema with that number. */
    public Found schema(int id) throws RegistryException {
        JsonNode answer = asked("/schemas/ids/" + id, null, "schema " + id);
        JsonNode text = answer.path("schema");
        if (!text.isTextual()) {
            throw new RegistryException(Why.REFUSED, words("gives no schema for the number " + id), null);
        }
        return new Found(answer.path("schemaType").asText("AVRO"), text.asText(), !answer.path("references").isEmpty());
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
        asked("/subjects", null, "subjects");
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
        HttpURLConnection connection = null;
        try {
            connection = opened(path);
            if (schema != null) {
                byte[] body = Json.bytes(Json.object().put("schema", schema));
                connection.setDoOutput(true);
                connection.setRequestProperty("Content-Type", JSON);
                try (OutputStream out = connection.getOutputStream()) {
                    out.write(body);
                }
            }
            int status = connection.getResponseCode();
            byte[] body = body(connection, status);
            if (status != HttpURLConnection.HTTP_OK) {
                throw refused(status, body, what);
            }
            return Json.tree(body);
        } catch (RegistryException e) {
            throw e;
        } catch (JsonProcessingException e) {
            throw new RegistryException(Why.REFUSED, words("does not answer as a registry does: what it sends is no JSON"), e);
        } catch (IOException e) {
            throw new RegistryException(Why.AWAY, words("does not answer: " + e.getMessage()), e);
        } finally {
            if (connection != null) {
                connection.disconnect();
            }
        }
    }

    private HttpURLConnection opened(String path) throws IOException {
        HttpURLConnection connection = (HttpURLConnection) URI.create(place.url() + path).toURL().openConnection();
        try {
            if (connection instanceof HttpsURLConnection secure && place.tls() != null) {
                secure.setSSLSocketFactory(place.tls().context().getSocketFactory());
            }
            if (place.login() != null) {
                connection.setRequestProperty("Authorization", place.login().header());
            }
        } catch (IOException secret) {
            throw new RegistryException(Why.REFUSED, "`registry`: " + secret.getMessage(), secret);
        }
        connection.setConnectTimeout(millis);
        connection.setReadTimeout(millis);
        connection.setInstanceFollowRedirects(false);
        connection.setUseCaches(false);
        connection.setRequestProperty("Accept", JSON + ", application/json");
        return connection;
    }

    private byte[] body(HttpURLConnection connection, int status) throws IOException {
        try (InputStream in = status >= HttpURLConnection.HTTP_BAD_REQUEST ? connection.getErrorStream()
                : connection.getInputStream()) {
            byte[] body = in == null ? new byte[0] : in.readNBytes(MOST_BYTES + 1);
            if (body.length > MOST_BYTES) {
                throw new RegistryException(Why.REFUSED, words("answers with more than " + MOST_BYTES + " bytes"), null);
            }
            return body;
        }
    }

    private RegistryException refused(int status, byte[] body, String what) {
        String said = said(body);
        String more = said.isEmpty() ? "" : ": " + said;
        return switch (status) {
            case HttpURLConnection.HTTP_NOT_FOUND -> new RegistryException(Why.UNKNOWN, words("does not have " + what + more),
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
