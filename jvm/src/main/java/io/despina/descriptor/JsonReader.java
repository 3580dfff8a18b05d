package io.despina.descriptor;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Turns JSON text into nodes with places, with Jackson's streaming parser. */
final class JsonReader {
    private static final JsonFactory FACTORY = new JsonFactory();
    private final FileText source;
    private final Diagnostics diagnostics;
    private JsonParser parser;

    JsonReader(FileText source, Diagnostics diagnostics) {
        this.source = source;
        this.diagnostics = diagnostics;
    }

    /** The document, or null if it is not JSON. Reports duplicate keys and nulls, and continues. */
    Node read() {
        try (JsonParser opened = FACTORY.createParser(source.text())) {
            parser = opened;
            if (parser.nextToken() == null) {
                diagnostics.error(source.place(0, ""), Rule.SYNTAX, "the file is empty", null);
                return null;
            }
            Node root = value("");
            if (parser.nextToken() != null) {
                diagnostics.error(here(""), Rule.SYNTAX, "there is more after the end of the document", null);
                return null;
            }
            return root;
        } catch (JsonProcessingException e) {
            JsonLocation at = e.getLocation();
            String message = e.getOriginalMessage().replaceAll("\\s+", " ")
                    .replaceAll(" \\((not recognized as|start marker at) .*", "").trim();
            diagnostics.error(source.place(at == null ? 0 : (int) at.getCharOffset(), ""), Rule.SYNTAX, message, hint(message));
            return null;
        } catch (IOException e) {
            throw new UncheckedIOException("reading from a string", e);
        }
    }

    /** The most common mistake behind a message of the parser; null if unknown. */
    private static String hint(String message) {
        if (message.contains("comment?")) {
            return "JSON has no comments: use \"doc\"";
        }
        if (message.startsWith("Unexpected end-of-input")) {
            return "the file ends too early: a bracket or a quote is not closed";
        }
        if (message.contains("expecting comma")) {
            return "put a comma between the two";
        }
        if (message.startsWith("Unexpected character (']'") || message.matches("Unexpected character \\('}'.*start field name")) {
            return "leave out the comma before it";
        }
        return message.endsWith("start field name") ? "put the name in double quotes" : null;
    }

    private Place here(String pointer) {
        return source.place((int) parser.currentTokenLocation().getCharOffset(), pointer);
    }

    private Node value(String pointer) throws IOException {
        Place place = here(pointer);
        return switch (parser.currentToken()) {
            case START_OBJECT -> object(place);
            case START_ARRAY -> array(place);
            case VALUE_STRING -> new Node.Str(place, parser.getText());
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> new Node.Num(place, parser.getText());
            case VALUE_TRUE -> new Node.Bool(place, true);
            case VALUE_FALSE -> new Node.Bool(place, false);
            case VALUE_NULL -> {
                diagnostics.error(place, Rule.NO_NULL, "null is not allowed", "leave the field out");
                yield new Node.Null(place);
            }
            default -> throw new IllegalStateException("token " + parser.currentToken());
        };
    }

    private Node object(Place place) throws IOException {
        Map<String, Node> members = new LinkedHashMap<>();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String name = parser.currentName();
            parser.nextToken();
            Node member = value(Place.child(place.pointer(), name));
            if (members.putIfAbsent(name, member) != null) {
                diagnostics.error(member.place(), Rule.DUPLICATE_KEY, "the key `" + name + "` is written twice, first at line "
                        + members.get(name).place().line(), null);
            }
        }
        return new Node.Obj(place, members);
    }

    private Node array(Place place) throws IOException {
        List<Node> items = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            items.add(value(place.pointer() + "/" + items.size()));
        }
        return new Node.Arr(place, items);
    }
}
