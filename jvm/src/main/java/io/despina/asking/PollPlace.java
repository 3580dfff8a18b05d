package io.despina.asking;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.despina.json.Json;
import java.util.ArrayList;
import java.util.List;

/**
 * How far a polled server has been read.
 *
 * @param asked   the cursor that is asked for: all records before it have been given; null for none
 * @param reached the greatest cursor of a record that has been given; null for none
 * @param seen    digests of those that have it
 * @param tag     of the last answer, if the next request is the same; or null
 * @param within  in the middle of an answer, where there is no cursor; or null
 */
record PollPlace(String asked, String reached, List<String> seen, Tag tag, Within within) {
    /**
     * What the server calls an answer that has not changed since.
     *
     * @param of       the URL that was asked
     * @param etag     may be null
     * @param modified may be null
     */
    record Tag(String of, String etag, String modified) {
    }

    /**
     * A place in an answer.
     *
     * @param page   its URL
     * @param digest of the page; null if the place is before it
     * @param record how many of its records have been given
     */
    record Within(String page, String digest, int record) {
    }

    /** Without a cursor: behind answers with that tag, or in the middle of one. */
    static PollPlace withoutCursor(Tag tag, Within within) {
        return new PollPlace(null, null, List.of(), tag, within);
    }

    /** @param then tells which record is next; null if that is not known */
    String text(String then) {
        ObjectNode text = Json.object();
        put(text, "asked", asked);
        put(text, "reached", reached);
        if (!seen.isEmpty()) {
            ArrayNode digests = text.putArray("seen");
            seen.forEach(digests::add);
        }
        if (tag != null) {
            put(text, "tagged", tag.of);
            put(text, "etag", tag.etag);
            put(text, "modified", tag.modified);
        }
        if (within != null) {
            text.put("page", within.page);
            put(text, "digest", within.digest);
            text.put("record", within.record);
        }
        put(text, "then", then);
        return Json.text(text);
    }

    private static void put(ObjectNode to, String name, String value) {
        if (value != null) {
            to.put(name, value);
        }
    }

    static PollPlace of(String text) {
        try {
            JsonNode read = Json.tree(text);
            List<String> seen = new ArrayList<>();
            read.path("seen").forEach(each -> seen.add(each.asText()));
            return new PollPlace(read.path("asked").textValue(), read.path("reached").textValue(), seen,
                    read.has("tagged") ? new Tag(read.get("tagged").asText(), read.path("etag").textValue(),
                            read.path("modified").textValue()) : null,
                    read.has("page") ? new Within(read.get("page").asText(), read.path("digest").textValue(),
                            read.path("record").asInt()) : null);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("no place of an http_poll_source: " + text, e);
        }
    }
}
