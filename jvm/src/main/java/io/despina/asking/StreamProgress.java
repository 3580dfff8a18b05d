package io.despina.asking;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.despina.json.Json;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;

/** How far a stream has been given, by the ids of its records. Each of the two threads has one of its own. */
final class StreamProgress {
    /** Ids that are remembered, since servers repeat records when they are connected to again. */
    private static final int MOST_RECENT = 1_000;
    /** Characters of one of them. */
    private static final int MOST_ID = 4_096;

    /** Of the record given last; null if none had one. */
    private String id;
    private final Set<String> recent = new LinkedHashSet<>();

    /** @param place as {@link #text} gave it; null for a beginning */
    StreamProgress(String place) {
        if (place != null) {
            try {
                JsonNode read = Json.tree(place);
                id = read.path("id").textValue();
                read.path("recent").forEach(each -> recent.add(each.asText()));
            } catch (JsonProcessingException e) {
                throw new IllegalStateException("no place of an http_stream_source: " + place, e);
            }
        }
    }

    String id() {
        return id;
    }

    /** Whether a text can be an id: a longer one is none. */
    static boolean isKept(String text) {
        return text.length() <= MOST_ID;
    }

    /** The last id that a header can hold; null if none can. What the server then repeats is known by {@link #knows}. */
    String told() {
        String told = null;
        for (String each : recent) {
            told = fitsHeader(each) ? each : told;
        }
        return id != null && fitsHeader(id) ? id : told;
    }

    private static boolean fitsHeader(String text) {
        return text.equals(text.strip()) && text.chars().allMatch(c -> c >= ' ' && c < 0x7F);
    }

    /** Whether a record with that id was given not long ago. */
    boolean knows(String other) {
        return recent.contains(other);
    }

    /** The record is given. */
    void passed(FoundRecord.Beside beside) {
        if (beside.id() == null) {
            return;
        }
        id = beside.id();
        if (beside.named() && recent.add(id) && recent.size() > MOST_RECENT) {
            Iterator<String> oldest = recent.iterator();
            oldest.next();
            oldest.remove();
        }
    }

    /** @param then tells which record is next; null if that is not known */
    String text(String then) {
        ObjectNode text = Json.object();
        if (id != null) {
            text.put("id", id);
        }
        if (!recent.isEmpty()) {
            ArrayNode ids = text.putArray("recent");
            recent.forEach(ids::add);
        }
        if (then != null) {
            text.put("then", then);
        }
        return Json.text(text);
    }
}
