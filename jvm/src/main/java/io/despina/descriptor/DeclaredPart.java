package io.despina.descriptor;

import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * A part of a graph as it is written.
 *
 * @param content null if it is not in order, which has been reported
 * @param source  the text that it is in
 * @param file    the file that it is in, for people; null for the graph's own
 * @param base    JSON pointer of the part there
 * @param known   the parts that it may use, by name
 */
record DeclaredPart(String name, Node.Obj content, FileText source, String file, String base, Map<String, DeclaredPart> known) {

    /** Whether it is the same text, perhaps under another name. */
    boolean isSame(DeclaredPart other) {
        return source == other.source && base.equals(other.base);
    }

    /** The members of one of its objects; none if there is no such object. */
    Map<String, Node> members(String field) {
        return members(content, field);
    }

    static Map<String, Node> members(Node.Obj object, String field) {
        return object.get(field) instanceof Node.Obj found ? found.members() : Map.of();
    }

    /** Its parameters that no string of its operators and links names. */
    Set<String> unused() {
        Set<String> left = new LinkedHashSet<>(members("parameters").keySet());
        left.removeIf(name -> names(content.get("operators"), "${" + name + "}")
                || names(content.get("links"), "${" + name + "}"));
        return left;
    }

    private static boolean names(Node node, String parameter) {
        if (node instanceof Node.Obj object) {
            return object.members().values().stream().anyMatch(member -> names(member, parameter));
        }
        return node instanceof Node.Arr array ? array.items().stream().anyMatch(item -> names(item, parameter))
                : node instanceof Node.Str string && string.value().contains(parameter);
    }
}
