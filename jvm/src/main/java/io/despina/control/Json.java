package io.despina.control;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** The one JSON mapper of control messages, options and answers. It reads and writes trees: to find its way in classes takes it long. */
public final class Json {
    static final ObjectMapper MAPPER = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build();

    private Json() {
    }

    public static ObjectNode object() {
        return MAPPER.createObjectNode();
    }

    /** One line of JSON. */
    public static String text(Object value) {
        try {
            return MAPPER.writeValueAsString(value);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("no JSON form: " + value, e);
        }
    }

    /** The same in UTF-8. */
    static byte[] bytes(JsonNode value) {
        try {
            return MAPPER.writeValueAsBytes(value);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("no JSON form: " + value, e);
        }
    }

    /**
     * Parses an object.
     *
     * @param what names the text in the error
     */
    public static ObjectNode parseObject(String text, String what) throws Refusal {
        try {
            JsonNode node = MAPPER.readTree(text);
            if (node instanceof ObjectNode object) {
                return object;
            }
            throw new Refusal("json", what + " is not a JSON object", null);
        } catch (JsonProcessingException e) {
            throw new Refusal("json", what + " is not JSON: " + e.getOriginalMessage(), null);
        }
    }
}
