package io.despina.control.protocol;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.despina.expr.ExpressionException;
import io.despina.json.Json;

/** JSON that a user or a program gave. */
public final class GivenJson {

    private GivenJson() {
    }

    /**
     * Parses an object.
     *
     * @param what names the text in the error
     */
    public static ObjectNode parseObject(String text, String what) throws Refusal {
        try {
            if (Json.tree(text) instanceof ObjectNode object) {
                return object;
            }
            throw new Refusal("json", what + " is not a JSON object", null);
        } catch (JsonProcessingException e) {
            throw new Refusal("json", what + " is not JSON: " + ExpressionException.inGraphWords(e.getOriginalMessage()), null);
        }
    }
}
