package io.despina.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.Map;

/**
 * Reads and writes trees of JSON, for control messages, options, answers and manifests. Does not use Jackson's mapper, whose
 * creation takes a twentieth of a second in every JVM of a starting job (docs/design/007).
 */
public final class Json {
    /** Messages are bounded as a whole; a single long string of one may be a row. */
    private static final JsonFactory FACTORY = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder().maxStringLength(Integer.MAX_VALUE).build()).build();
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private Json() {
    }

    public static ObjectNode object() {
        return NODES.objectNode();
    }

    /** One line of JSON. */
    public static String text(JsonNode value) {
        StringWriter text = new StringWriter();
        try (JsonGenerator out = FACTORY.createGenerator(text)) {
            write(value, out);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return text.toString();
    }

    /** The same in UTF-8. */
    public static byte[] bytes(JsonNode value) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (JsonGenerator out = FACTORY.createGenerator(bytes)) {
            write(value, out);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    /** Lines of JSON for people, in UTF-8. */
    public static byte[] readable(JsonNode value) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (JsonGenerator out = FACTORY.createGenerator(bytes)) {
            write(value, out.setPrettyPrinter(new DefaultPrettyPrinter()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    /** @throws JsonProcessingException if it is not JSON, or more than one value */
    public static JsonNode tree(byte[] json) throws JsonProcessingException {
        try (JsonParser in = FACTORY.createParser(json)) {
            return whole(in);
        } catch (JsonProcessingException malformed) {
            throw malformed;
        } catch (IOException e) {
            // nothing is read from outside: damaged bytes may look like UTF-32, of which some are no characters
            throw new JsonParseException(null, e.getMessage(), e);
        }
    }

    /** @throws JsonProcessingException if it is not JSON, or more than one value */
    public static JsonNode tree(String json) throws JsonProcessingException {
        try (JsonParser in = FACTORY.createParser(json)) {
            return whole(in);
        } catch (JsonProcessingException malformed) {
            throw malformed;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A value with which bytes begin, and where it ends in them. */
    public record Leading(JsonNode value, int end) {
    }

    /** @throws JsonProcessingException if no JSON in UTF-8 leads the bytes */
    public static Leading leading(byte[] bytes) throws JsonProcessingException {
        try (JsonParser in = FACTORY.createParser(bytes)) {
            JsonNode value = first(in);
            long end = in.currentLocation().getByteOffset();
            if (end < 0 || end > bytes.length) {
                throw new JsonParseException(in, "it is not in UTF-8");
            }
            return new Leading(value, (int) end);
        } catch (JsonProcessingException malformed) {
            throw malformed;
        } catch (IOException e) {
            throw new JsonParseException(null, e.getMessage(), e);
        }
    }

    private static JsonNode whole(JsonParser in) throws IOException {
        JsonNode value = first(in);
        if (in.nextToken() != null) {
            throw new JsonParseException(in, "more follows after the value");
        }
        return value;
    }

    private static JsonNode first(JsonParser in) throws IOException {
        if (in.nextToken() == null) {
            throw new JsonParseException(in, "there is nothing");
        }
        return read(in);
    }

    static JsonParser parser(InputStream json) throws IOException {
        return FACTORY.createParser(json);
    }

    static JsonParser parser(byte[] json) throws IOException {
        return FACTORY.createParser(json);
    }

    /** Reads the value that begins at the current token. The parser limits the depth. */
    static JsonNode read(JsonParser in) throws IOException {
        return switch (in.currentToken()) {
            case START_OBJECT -> {
                ObjectNode object = NODES.objectNode();
                while (in.nextToken() != JsonToken.END_OBJECT) {
                    String name = in.currentName();
                    in.nextToken();
                    object.set(name, read(in));
                }
                yield object;
            }
            case START_ARRAY -> {
                ArrayNode array = NODES.arrayNode();
                while (in.nextToken() != JsonToken.END_ARRAY) {
                    array.add(read(in));
                }
                yield array;
            }
            case VALUE_STRING -> NODES.textNode(in.getText());
            case VALUE_NUMBER_INT -> switch (in.getNumberType()) {
                case INT -> NODES.numberNode(in.getIntValue());
                case LONG -> NODES.numberNode(in.getLongValue());
                default -> NODES.numberNode(in.getBigIntegerValue());
            };
            case VALUE_NUMBER_FLOAT -> NODES.numberNode(in.getDoubleValue());
            case VALUE_TRUE, VALUE_FALSE -> NODES.booleanNode(in.getBooleanValue());
            case VALUE_NULL -> NODES.nullNode();
            default -> throw new JsonParseException(in, "no value begins here");
        };
    }

    private static void write(JsonNode value, JsonGenerator out) throws IOException {
        switch (value.getNodeType()) {
            case OBJECT -> {
                out.writeStartObject();
                for (Map.Entry<String, JsonNode> field : value.properties()) {
                    out.writeFieldName(field.getKey());
                    write(field.getValue(), out);
                }
                out.writeEndObject();
            }
            case ARRAY -> {
                out.writeStartArray();
                for (JsonNode item : value) {
                    write(item, out);
                }
                out.writeEndArray();
            }
            case STRING -> out.writeString(value.textValue());
            case BINARY -> out.writeBinary(value.binaryValue());
            case NUMBER -> number(value, out);
            case BOOLEAN -> out.writeBoolean(value.booleanValue());
            case NULL, MISSING -> out.writeNull();
            default -> throw new IllegalArgumentException("no JSON form: " + value.getNodeType());
        }
    }

    private static void number(JsonNode value, JsonGenerator out) throws IOException {
        if (value.isFloatingPointNumber()) {
            out.writeNumber(value.doubleValue());
        } else if (value.canConvertToLong()) {
            out.writeNumber(value.longValue());
        } else {
            out.writeNumber(value.bigIntegerValue());
        }
    }
}
