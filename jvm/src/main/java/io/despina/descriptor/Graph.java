package io.despina.descriptor;

import java.util.List;

/**
 * A graph file, read and checked against the declaration. It may have errors ({@link #diagnostics}); its valid parts are planned
 * all the same, so that all errors are found at once.
 *
 * @param file        as the user named it
 * @param settings    null if they are not valid
 * @param expressions of all operators and links, including invalid ones
 */
public record Graph(String file, String name, String doc, Values settings, List<Operator> operators,
        List<Link> links, List<Text> expressions, List<Diagnostic> diagnostics) {

    /**
     * One operator.
     *
     * @param type   null if unknown
     * @param fields null if they are not valid
     */
    public record Operator(String id, OperatorType type, Place place, Values fields) {
    }

    /**
     * One link.
     *
     * @param index  its index in the file
     * @param fields null if they are not valid
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
