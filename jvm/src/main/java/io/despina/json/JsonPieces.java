package io.despina.json;

import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.List;

/** Finds values in the bytes of a JSON text, without a tree: each stays where it is. */
public final class JsonPieces {

    /** Takes what is found. */
    public interface PieceTaker {
        /**
         * A record.
         *
         * @param from   its first byte
         * @param to     the byte behind its last
         * @param member the text of {@link Wanted#member}; null if the record has none, or one that is no text and no number
         */
        void record(int from, int to, String member);

        /** The text at {@link Wanted#other}. */
        void other(String text);
    }

    /**
     * What is looked for.
     *
     * @param records the names on the way to the records: an array of them, or one; none for the text itself
     * @param member  a member of each record; null for none
     * @param other   the names on the way to a text outside of the records; null for none
     */
    public record Wanted(List<String> records, String member, List<String> other) {
    }

    private final JsonParser in;
    private final Wanted wanted;
    private final PieceTaker taker;
    private boolean found;

    private JsonPieces(JsonParser in, Wanted wanted, PieceTaker taker) {
        this.in = in;
        this.wanted = wanted;
        this.taker = taker;
    }

    /**
     * Reads one JSON value, or several that follow each other.
     *
     * @param json in UTF-8
     * @return whether the records' place was there
     * @throws JsonProcessingException if it is no JSON; what was found before that has been taken
     */
    public static boolean read(byte[] json, Wanted wanted, PieceTaker taker) throws JsonProcessingException {
        try (JsonParser in = Json.parser(json)) {
            JsonPieces pieces = new JsonPieces(in, wanted, taker);
            while (in.nextToken() != null) {
                pieces.value(wanted.records, wanted.other);
            }
            return pieces.found;
        } catch (JsonProcessingException malformed) {
            throw malformed;
        } catch (IOException e) {
            // nothing is read from outside: damaged bytes may look like UTF-32, of which some are no characters
            throw new JsonParseException(null, e.getMessage(), e);
        }
    }

    /** Reads the value at the current token. @param records and other: what is left of the ways; null where they do not lead */
    private void value(List<String> records, List<String> other) throws IOException {
        if (records != null && records.isEmpty()) {
            found = true;
            records();
        } else if (other != null && other.isEmpty()) {
            if (in.currentToken() == JsonToken.VALUE_STRING) {
                taker.other(in.getText());
            }
            in.skipChildren();
        } else if ((records != null || other != null) && in.currentToken() == JsonToken.START_OBJECT) {
            while (in.nextToken() != JsonToken.END_OBJECT) {
                String name = in.currentName();
                in.nextToken();
                value(rest(records, name), rest(other, name));
            }
        } else {
            in.skipChildren();
        }
    }

    private static List<String> rest(List<String> way, String name) {
        return way == null || !way.get(0).equals(name) ? null : way.subList(1, way.size());
    }

    private void records() throws IOException {
        if (in.currentToken() == JsonToken.START_ARRAY) {
            while (in.nextToken() != JsonToken.END_ARRAY) {
                record();
            }
        } else if (in.currentToken() != JsonToken.VALUE_NULL) {
            record();
        }
    }

    private void record() throws IOException {
        int from = (int) in.currentTokenLocation().getByteOffset();
        if (from < 0) {
            throw new JsonParseException(in, "it is not in UTF-8");     // the parser has seen UTF-16 or UTF-32
        }
        String member = null;
        if (in.currentToken() == JsonToken.START_OBJECT && wanted.member != null) {
            while (in.nextToken() != JsonToken.END_OBJECT) {
                boolean isWanted = in.currentName().equals(wanted.member);
                JsonToken token = in.nextToken();
                if (isWanted && (token == JsonToken.VALUE_STRING || token.isNumeric())) {
                    member = in.getText();
                }
                in.skipChildren();
            }
        } else {
            in.skipChildren();
        }
        in.finishToken();
        taker.record(from, (int) in.currentLocation().getByteOffset(), member);
    }
}
