package io.despina.descriptor;

/**
 * The place of a value in its file.
 *
 * @param offset  of its first character, from 0
 * @param line    from 1
 * @param column  from 1, in characters
 * @param pointer JSON pointer (RFC 6901); empty for the whole document
 */
public record Place(int offset, int line, int column, String pointer) {

    /** The id of the operator that contains the place, or null. */
    public String operatorId() {
        String[] parts = pointer.split("/", 4);
        return parts.length > 2 && parts[1].equals("operators") ? unescape(parts[2]) : null;
    }

    static String child(String pointer, String name) {
        return pointer + "/" + name.replace("~", "~0").replace("/", "~1");
    }

    private static String unescape(String token) {
        return token.replace("~1", "/").replace("~0", "~");
    }
}
