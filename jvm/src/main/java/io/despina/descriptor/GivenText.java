package io.despina.descriptor;

import java.util.Map;
import java.util.TreeMap;

/**
 * A graph's text as it comes: alone, or in front of the files that its parts are in, as a sequence of JSON texts (RFC 7464, whose
 * separator stands nowhere in JSON). The second is {@code {path: {"text": …}}}, or {@code {path: {"problem": why it cannot be
 * read}}}; paths are from the folder of the graph.
 *
 * @param files by path
 */
record GivenText(String graph, Map<String, File> files) {
    private static final char SEPARATOR = '\u001e';

    /** @param text null if it cannot be read, and then {@code problem} says why */
    record File(String text, String problem) {
    }

    static GivenText of(String given) {
        int end = given.indexOf(SEPARATOR);
        FileText behind = new FileText(end < 0 ? "{}" : given.substring(end + 1));
        if (end < 0 || !(new JsonReader(behind, new Diagnostics("files")).read() instanceof Node.Obj files)) {
            return new GivenText(given, Map.of());
        }
        Map<String, File> all = new TreeMap<>();
        files.members().forEach((path, file) -> {
            if (file instanceof Node.Obj said) {
                all.put(path, new File(string(said, "text"), string(said, "problem")));
            }
        });
        return new GivenText(given.substring(0, end), all);
    }

    private static String string(Node.Obj said, String name) {
        return said.get(name) instanceof Node.Str string ? string.value() : null;
    }
}
