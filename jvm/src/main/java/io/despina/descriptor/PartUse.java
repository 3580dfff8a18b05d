package io.despina.descriptor;

/**
 * Why a place is in a graph that is not written in it there: it is in a part, which is used, or in a file that is named.
 *
 * @param file   that has the place; null for the graph's own
 * @param prefix of the ids of the part's operators; null where the part is only named
 * @param base   JSON pointer of the part in its file
 * @param at     the operator that uses the part, or the entry of {@code parts} that names the file
 */
public record PartUse(String file, String prefix, String base, Place at) {

    /** The id in the whole graph of an operator of the part. */
    static String id(String prefix, String operator) {
        return prefix.isEmpty() ? operator : prefix + "_" + operator;
    }
}
