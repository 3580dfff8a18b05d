package io.despina.json;

import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;

/** The items of an array in a large object, one by one: of such a file only one item is in memory. */
public final class JsonItems {

    /** Takes an item. */
    public interface ItemTaker {
        void take(JsonNode item) throws IOException;
    }

    private JsonItems() {
    }

    /**
     * Reads a file that has one object, and gives each item of its array {@code name} to {@code taker}.
     *
     * @return the object, in which that array is empty
     * @throws com.fasterxml.jackson.core.JsonProcessingException if it is not JSON, no object, or more than one value
     */
    public static ObjectNode read(InputStream json, String name, ItemTaker taker) throws IOException {
        try (JsonParser in = Json.parser(json)) {
            if (in.nextToken() != JsonToken.START_OBJECT) {
                throw new JsonParseException(in, "there is no object");
            }
            ObjectNode object = Json.object();
            while (in.nextToken() != JsonToken.END_OBJECT) {
                String field = in.currentName();
                if (in.nextToken() == JsonToken.START_ARRAY && field.equals(name)) {
                    while (in.nextToken() != JsonToken.END_ARRAY) {
                        taker.take(Json.read(in));
                    }
                    object.putArray(field);
                } else {
                    object.set(field, Json.read(in));
                }
            }
            if (in.nextToken() != null) {
                throw new JsonParseException(in, "more follows after the value");
            }
            return object;
        }
    }
}
