package io.despina.descriptor;

import java.util.List;
import java.util.Map;

/**
 * A graph file, read and held against the declaration. It may have errors ({@link #diagnostics}); what is sound in it is
 * planned nevertheless, so that all errors are found at once.
 *
 * @param file        as the user named it
 * @param text        of the file
 * @param parameters  values given to it
 * @param settings    null if they are not sound
 * @param expressions all of its operators and links, also of those that are not sound
 */
public record Graph(String file, String text, Map<String, String> parameters, String name, String doc, Values settings,
        List<Operator> operators, List<Link> links, List<Text> expressions, List<Diagnostic> diagnostics) {

    /**
     * One operator.
     *
     * @param type   null if it is not known
     * @param fields null if they are not sound
     */
    public record Operator(String id, OperatorType type, Place place, Values fields) {
    }

    /**
     * One link.
     *
     * @param index  its place in the file
     * @param fields null if they are not sound
     */
    public record Link(int index, Place place, Values fields) {
    }

    public Graph {
        operators = List.copyOf(operators);
        links = List.copyOf(links);
        expressions = List.copyOf(expressions);
        diagnostics = List.copyOf(diagnostics);
    }
}
