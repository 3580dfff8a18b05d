package io.despina.descriptor;

/**
 * The place of a value in its file.
 *
 * @param offset  of its first character, from 0
 * @param line    from 1
 * @param column  from 1, in characters
 * @param pointer JSON pointer (RFC 6901); empty for the whole document
 * @param use     the use of the part that it is in; null outside of parts
 */
public record Place(int offset, int line, int column, String pointer, PartUse use) {
    private static final String OPERATORS = "/operators/";

    /** A place outside of parts. */
    public Place(int offset, int line, int column, String pointer) {
        this(offset, line, column, pointer, null);
    }

    /** The id of the operator that contains the place, or null; of a part's operator the id that it has in the whole graph. */
    public String operatorId() {
        String before = use == null ? OPERATORS : use.base() + OPERATORS;
        if (!pointer.startsWith(before) || use != null && use.prefix() == null) {
            return null;
        }
        String id = unescape(pointer.substring(before.length()).split("/", 2)[0]);
        return use == null ? id : PartUse.id(use.prefix(), id);
    }

    /** The same outside of parts; of what is in a part, the operator of the graph that uses it. */
    public Place inGraph() {
        return use == null ? this : use.at().inGraph();
    }

    /** The file that has the place. @param graph the graph's */
    public String file(String graph) {
        return use == null || use.file() == null ? graph : use.file();
    }

    Place with(PartUse other) {
        return new Place(offset, line, column, pointer, other);
    }

    static String child(String pointer, String name) {
        return pointer + "/" + name.replace("~", "~0").replace("/", "~1");
    }

    private static String unescape(String token) {
        return token.replace("~1", "/").replace("~0", "~");
    }
}
