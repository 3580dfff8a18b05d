package io.despina.descriptor;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The operators and links of a graph, with those of its parts in the place of each use. This is the only code that knows how
 * parts become operators: everything behind it, on the engine and on Spark, sees a graph without parts.
 */
final class Expansion {
    /**
     * @param checker of the text that it is from
     * @param given   what the parameters stand for there, as the graph would have it; null in the graph's own text
     */
    record Operator(String id, Node node, Checker checker, Map<String, String> given) {
    }

    /** @param node with the ends that it has in the whole graph; null if one is wrong, which has been reported */
    record Link(Node node, Place place, Checker checker, Map<String, String> given) {
    }

    /** The operators and links between which a link may lead: those of the graph's own text, or of one use of a part. */
    private record Scope(String prefix, Node.Obj content, Checker checker, Map<String, String> given, DeclaredPart part,
            Scope around, Map<String, Scope> uses, Set<String> broken) {

        Map<String, Node> operators() {
            return DeclaredPart.members(content, "operators");
        }

        Parameters parameters() {
            return checker.context().parameters();
        }

        String id(String operator) {
            return PartUse.id(prefix, operator);
        }
    }

    private final GraphFormat format;
    private final Diagnostics diagnostics;
    private final Map<String, DeclaredPart> known;
    private final List<Operator> operators = new ArrayList<>();
    private final List<Link> links = new ArrayList<>();
    /** One for the graph's text and for each use of a part. */
    private final List<Checker> checkers = new ArrayList<>();
    private final Map<String, Operator> byId = new HashMap<>();
    private final Set<DeclaredPart> used = Collections.newSetFromMap(new IdentityHashMap<>());
    private final ExpansionBudget budget;
    /** Those of the graph. */
    private Parameters whole;

    /** @param known the graph's parts, by name */
    Expansion(GraphFormat format, Map<String, DeclaredPart> known, Diagnostics diagnostics) {
        this.format = format;
        this.known = known;
        this.diagnostics = diagnostics;
        budget = new ExpansionBudget(diagnostics);
    }

    /** @param checker of the graph's own text */
    void expand(Node.Obj root, Checker checker) {
        whole = checker.context().parameters();
        Scope outermost = new Scope("", root, checker, null, null, null, new LinkedHashMap<>(), new HashSet<>());
        checkers.add(checker);
        spend(root.get("operators"));
        if (!budget.isFull()) {
            addOperators(outermost);
            addLinks(outermost);
        }
    }

    /** Counts the texts that the graph's own parameters make. */
    private void spend(Node node) {
        if (node instanceof Node.Obj object) {
            object.members().values().forEach(this::spend);
        } else if (node instanceof Node.Arr array) {
            array.items().forEach(this::spend);
        } else if (node instanceof Node.Str string && string.value().contains("${") && !budget.isFull()) {
            budget.addText(whole.fill(string.value()).value().length(), node.place());
        }
    }

    /** In the order of the graph, each part's where it is used. */
    List<Operator> operators() {
        return operators;
    }

    /** The graph's own first. */
    List<Link> links() {
        return links;
    }

    /** All expressions that were found while operators and links were checked. */
    List<Text> expressions() {
        return checkers.stream().flatMap(checker -> checker.expressions().stream()).toList();
    }

    /** Warns of what is declared and of no use. */
    void warnOfUnused(List<DeclaredPart> all) {
        for (DeclaredPart part : all) {
            Place place = part.content().place();
            if (!used.contains(part)) {
                diagnostics.warning(part.base().isEmpty() ? place.use().at() : place, Rule.UNUSED, "nothing uses the part `"
                        + part.name() + "`", null);
            } else {
                part.unused().forEach(name -> diagnostics.warning(part.members("parameters").get(name).place(), Rule.UNUSED,
                        "the part `" + part.name() + "` does not use its parameter `" + name + "`", "leave it out"));
            }
        }
    }

    private void addOperators(Scope scope) {
        scope.operators().forEach((id, node) -> {
            if (!isUse(node)) {
                add(new Operator(scope.id(id), node, scope.checker(), scope.given()));
                return;
            }
            Scope inner = used(scope, id, (Node.Obj) node);
            if (inner == null) {
                scope.broken().add(id);
            } else {
                scope.uses().put(id, inner);
                checkers.add(inner.checker());
                addOperators(inner);
            }
        });
    }

    private static boolean isUse(Node node) {
        return node instanceof Node.Obj object && object.get("type") instanceof Node.Str word
                && word.value().equals(PartFields.WORD);
    }

    private void add(Operator operator) {
        Operator other = byId.putIfAbsent(operator.id(), operator);
        if (other == null) {
            operators.add(operator);
            return;
        }
        Place first = other.node().place();
        diagnostics.error(operator.node().place(), Rule.DUPLICATE_ID, "the id `" + operator.id() + "` is used twice: the other "
                + "is " + (first.use() == null ? "written" : "of the part that is used") + " at line " + first.inGraph().line()
                + " of the graph",
                "give one of the operators, or the use of the part, another id");
    }

    /** What the use of a part stands for; null if it is wrong, which is then reported. */
    private Scope used(Scope scope, String id, Node.Obj node) {
        if (!id.matches(Format.ID)) {
            diagnostics.error(node.place(), Rule.BAD_NAME, "`" + id + "` is not a valid operator id",
                    "it must match " + Format.ID);
            return null;
        }
        if (!scope.checker().check(node, format.operator())) {
            return null;
        }
        Node.Str name = (Node.Str) node.get("part");
        Map<String, DeclaredPart> names = scope.part() == null ? known : scope.part().known();
        DeclaredPart part = names.get(name.value());
        if (part == null) {
            String nearest = Nearest.hint(name.value(), names.keySet());
            diagnostics.error(name.place(), Rule.UNKNOWN_PART, "there is no part `" + name.value() + "`",
                    nearest == null ? "declare it under \"parts\"" : nearest);
            return null;
        }
        used.add(part);
        return part.content() == null || isWithinItself(scope, part, name.place()) ? null : opened(scope, id, node, part);
    }

    private boolean isWithinItself(Scope scope, DeclaredPart part, Place place) {
        int depth = 0;
        for (Scope outer = scope; outer.part() != null; outer = outer.around()) {
            if (outer.part().isSame(part)) {
                diagnostics.error(place, Rule.PART_CYCLE, "the part `" + part.name() + "` uses itself: "
                        + path(scope, outer) + part.name(), null);
                return true;
            }
            depth++;
        }
        if (depth >= ExpansionBudget.MOST_DEPTH) {
            diagnostics.error(place, Rule.OUT_OF_RANGE, "the part `" + part.name() + "` would be within more than "
                    + ExpansionBudget.MOST_DEPTH + " others", null);
        }
        return depth >= ExpansionBudget.MOST_DEPTH;
    }

    private static String path(Scope from, Scope outermost) {
        StringBuilder path = new StringBuilder();
        for (Scope at = from; at != outermost.around(); at = at.around()) {
            path.insert(0, at.part().name() + " -> ");
        }
        return path.toString();
    }

    private Scope opened(Scope scope, String id, Node.Obj node, DeclaredPart part) {
        Map<String, String> values = new HashMap<>();
        Map<String, String> written = new HashMap<>();
        if (budget.addOperators(part.members("operators").size(), node.place())
                || !isGiven(scope, node, part, values, written)) {
            return null;
        }
        PartUse use = new PartUse(part.file(), scope.id(id), part.base(), node.place());
        Parameters own = new Parameters(part.members("parameters").keySet(), values,
                "a part knows its own parameters alone: declare it there, and give it where the part is used");
        Node.Obj content = new Placing(use, own, written).object(part.content());
        return budget.isFull() ? null : new Scope(scope.id(id), content, new Checker(diagnostics,
                new Values.Context(part.source(), own), true), written, part, scope, new LinkedHashMap<>(), new HashSet<>());
    }

    /**
     * Finds what the parameters of a part stand for in one use of it.
     *
     * @param written what they stand for as the graph would have it
     * @return whether the part can be used so; if not, that has been reported
     */
    private boolean isGiven(Scope scope, Node.Obj node, DeclaredPart part, Map<String, String> values,
            Map<String, String> written) {
        Map<String, Node> declared = part.members("parameters");
        declared.forEach((name, parameter) -> {
            if (parameter instanceof Node.Obj object && object.get("default") instanceof Node.Str value) {
                values.put(name, value.value());
                written.put(name, value.value().replace("${", "$${"));
                budget.addText(written.get(name).length(), value.place());
            }
        });
        DeclaredPart.members(node, "parameters").forEach((name, value) -> {
            if (!declared.containsKey(name)) {
                String nearest = Nearest.hint(name, declared.keySet());
                diagnostics.error(value.place(), Rule.PARAMETER, "the part `" + part.name() + "` has no parameter `" + name + "`",
                        nearest == null ? "it has none" : nearest);
            }
            String text = ((Node.Str) value).value();
            values.put(name, scope.parameters().fill(text).value());
            written.put(name, Substitution.filled(text, scope.given()));
            budget.addText(Math.max(values.get(name).length(), written.get(name).length()), value.place());
        });
        String missing = declared.keySet().stream().filter(name -> !values.containsKey(name)).findFirst().orElse(null);
        if (missing != null) {
            Node given = node.get("parameters");
            diagnostics.error(given == null ? node.place() : given.place(), Rule.PARAMETER, "the part `" + part.name()
                    + "` needs its parameter `" + missing + "`", given == null ? "write \"parameters\": {\""
                    + missing + "\": \"…\"}" : "write \"" + missing + "\": \"…\" there");
        }
        return missing == null && !budget.isFull();
    }

    /** Gives the text of a part the places that it has in one use. */
    private final class Placing {
        private final PartUse use;
        private final Parameters own;
        private final Map<String, String> given;

        Placing(PartUse use, Parameters own, Map<String, String> given) {
            this.use = use;
            this.own = own;
            this.given = given;
        }

        Node.Obj object(Node.Obj object) {
            Map<String, Node> members = new LinkedHashMap<>();
            object.members().forEach((name, member) -> members.put(name, node(member)));
            return new Node.Obj(object.place().with(use), members);
        }

        private Node node(Node node) {
            Place place = node.place().with(use);
            if (budget.addValue(place)) {
                return new Node.Null(place);
            }
            if (node instanceof Node.Obj object) {
                return object(object);
            }
            if (node instanceof Node.Arr array) {
                return new Node.Arr(place, array.items().stream().map(this::node).toList());
            }
            if (node instanceof Node.Str string) {
                spend(string.value(), place);
                return new Node.Str(place, string.value());
            }
            return node instanceof Node.Num number ? new Node.Num(place, number.text())
                    : node instanceof Node.Bool flag ? new Node.Bool(place, flag.value()) : new Node.Null(place);
        }

        /** Counts a text, and refuses one that the graph without parts could not have. */
        private void spend(String text, Place place) {
            if (!text.contains("${")) {
                budget.addText(text.length(), place);
                return;
            }
            Parameters.Filled filled = own.fill(text);
            String written = Substitution.filled(text, given);
            if (budget.addText(Math.max(filled.value().length(), written.length()), place) || !filled.problems().isEmpty()) {
                return;
            }
            Parameters.Filled again = whole.fill(written);
            if (!again.problems().isEmpty() || !again.value().equals(filled.value())) {
                diagnostics.error(place, Rule.PARAMETER, "a parameter ends with `$` in front of `{` or of another parameter, and "
                        + "`${` begins a parameter", "write a character between them, or both in one parameter");
            }
        }
    }

    private void addLinks(Scope scope) {
        if (scope.content().get("links") instanceof Node.Arr array) {
            array.items().forEach(node -> addLink(scope, node));
        }
        scope.uses().values().forEach(this::addLinks);
    }

    /** Where an end is a port of a part, the link becomes one to each place that the port leads to. */
    private void addLink(Scope scope, Node node) {
        boolean sound = scope.checker().check(node, CommonFields.LINK);
        List<Node.Str> starts = sound ? ends(scope, (Node.Str) ((Node.Obj) node).get("from"), "outputs") : List.of();
        List<Node.Str> ends = sound ? ends(scope, (Node.Str) ((Node.Obj) node).get("to"), "inputs") : List.of();
        if (starts.isEmpty() || ends.isEmpty()) {
            links.add(new Link(null, node.place(), scope.checker(), scope.given()));
        }
        for (Node.Str start : starts) {
            for (Node.Str end : ends) {
                Map<String, Node> members = new LinkedHashMap<>(((Node.Obj) node).members());
                members.put("from", start);
                members.put("to", end);
                links.add(new Link(new Node.Obj(node.place(), members), node.place(), scope.checker(), scope.given()));
            }
        }
    }

    /** The ports of operators that the end of a link means; none if it is wrong, which is then reported. */
    private List<Node.Str> ends(Scope scope, Node.Str written, String side) {
        String end = scope.parameters().fill(written.value()).value();
        String[] parts = end.split("\\.", 2);
        Scope part = scope.uses().get(parts[0]);
        boolean inParts = part != null || scope.part() != null;
        if (inParts && budget.addEnd(written.place())) {
            return List.of();
        }
        if (inParts && Substitution.filled(written.value(), scope.given()).contains("${")) {
            diagnostics.error(written.place(), Rule.PARAMETER, "where a link leads to, in or at a part, a parameter of the graph "
                    + "cannot say", "write the operator and the port, or give them where the part is used");
            return List.of();
        }
        if (part != null) {
            String port = parts.length == 2 ? parts[1] : side.equals("outputs") ? "out" : "in";
            Map<String, Node> ports = part.part().members(side);
            if (ports.get(port) == null) {
                String word = side.substring(0, side.length() - 1);
                diagnostics.error(written.place(), Rule.UNKNOWN_PORT, "the part `" + part.part().name() + "` has no "
                        + word + " `" + port + "`", ports.isEmpty() ? "it has no " + side : Nearest.hint(port, ports.keySet()));
                return List.of();
            }
            Node inside = DeclaredPart.members(part.content(), side).get(port);
            List<Node> all = inside instanceof Node.Arr array ? array.items() : List.of(inside);
            List<List<Node.Str>> found = all.stream().map(each -> ends(part, (Node.Str) each, side)).toList();
            return found.stream().anyMatch(List::isEmpty) ? List.of() : found.stream().flatMap(List::stream).toList();
        }
        if (scope.broken().contains(parts[0])) {
            return List.of();
        }
        if (!scope.operators().containsKey(parts[0]) && (scope.part() != null || byId.containsKey(parts[0]))) {
            diagnostics.error(written.place(), Rule.UNKNOWN_OPERATOR, scope.part() == null
                    ? "`" + parts[0] + "` is within a part: links lead to the ports of the part"
                    : "there is no operator `" + parts[0] + "` in the part `" + scope.part().name() + "`",
                    Nearest.hint(parts[0], scope.operators().keySet()));
            return List.of();
        }
        // what is not changed keeps its text, so that errors stand at characters of it
        return List.of(scope.prefix().isEmpty() ? written : new Node.Str(written.place(), scope.id(end)));
    }
}
