package io.despina.control.protocol;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BinaryNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.despina.json.Json;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/**
 * A message as bytes: its JSON, and behind that, as they are, the components that are bytes. As text in base 64 they would take
 * most of the time of a message that carries rows or a state.
 */
final class MessageBytes {
    /** The lengths of those components by name, in the order in which they follow. */
    private static final String BEHIND = "bytesBehind";

    private MessageBytes() {
    }

    static byte[] of(ObjectNode message) {
        Map<String, JsonNode> behind = new TreeMap<>();
        message.properties().stream().filter(each -> each.getValue().isBinary())
                .forEach(each -> behind.put(each.getKey(), each.getValue()));
        if (behind.isEmpty()) {
            return Json.bytes(message);
        }
        message.remove(behind.keySet());
        ObjectNode lengths = message.putObject(BEHIND);
        int all = 0;
        for (Map.Entry<String, JsonNode> each : behind.entrySet()) {
            int length = bytes(each.getValue()).length;
            lengths.put(each.getKey(), length);
            all = Math.addExact(all, length);
        }
        byte[] json = Json.bytes(message);
        byte[] whole = Arrays.copyOf(json, Math.addExact(json.length, all));
        int at = json.length;
        for (JsonNode each : behind.values()) {
            System.arraycopy(bytes(each), 0, whole, at, bytes(each).length);
            at += bytes(each).length;
        }
        return whole;
    }

    private static byte[] bytes(JsonNode binary) {
        return ((BinaryNode) binary).binaryValue();
    }

    /**
     * The message's components and its type.
     *
     * @throws JsonProcessingException  if the bytes do not begin with JSON
     * @throws IllegalArgumentException if that is no object, or something else is behind it than it says
     */
    static ObjectNode object(byte[] message) throws JsonProcessingException {
        Json.Leading leading = Json.leading(message);
        if (!(leading.value() instanceof ObjectNode object)) {
            throw new IllegalArgumentException("no object");
        }
        int at = leading.end();
        JsonNode lengths = object.remove(BEHIND);
        if (lengths != null) {
            for (Map.Entry<String, JsonNode> each : lengths.properties()) {
                int length = each.getValue().isInt() ? each.getValue().intValue() : -1;
                if (length < 0 || length > message.length - at) {
                    throw new IllegalArgumentException(each.getKey() + " of " + each.getValue() + " bytes, of "
                            + (message.length - at) + " that follow");
                }
                object.set(each.getKey(), BinaryNode.valueOf(message, at, length));
                at += length;
            }
        }
        if (at != message.length) {
            throw new IllegalArgumentException((message.length - at) + " bytes more than it says");
        }
        return object;
    }
}
