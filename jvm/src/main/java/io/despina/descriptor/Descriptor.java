package io.despina.descriptor;

import io.despina.descriptor.FieldKind.Section;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Reads, checks and writes graph files with operators of given types. */
public final class Descriptor {
    final GraphFormat format;

    /** @param types in the order of the schema and, within a family, of the reference */
    public Descriptor(List<OperatorType> types) {
        format = new GraphFormat(types);
    }

    /** The operator types, in the order of the schema. */
    public List<OperatorType> types() {
        return format.types();
    }

    /** The JSON schema of the graph file. */
    public String schema() {
        return GraphSchema.write(format);
    }

    /** The pages of the reference, in Markdown, by the names of their files. */
    public Map<String, String> reference() {
        return Reference.write(format);
    }

    /**
     * Reads a graph and checks it against the declaration.
     *
     * @param fileName   its name in messages
     * @param parameters values for the graph's parameters
     * @return the valid parts of the graph (null if it is not an object), with all errors
     */
    public Checked<Graph> load(String text, String fileName, Map<String, String> parameters) {
        Diagnostics diagnostics = new Diagnostics(fileName);
        FileText source = new FileText(text);
        Node.Obj root = object(new JsonReader(source, diagnostics).read(), diagnostics);
        if (root == null) {
            return new Checked<>(null, diagnostics.sorted());
        }
        Values.Context context = new Values.Context(source, parameters(root, parameters, diagnostics));
        Checker checker = new Checker(diagnostics, context, true);
        boolean settings = root.get("settings") == null || checker.check(root.get("settings"), CommonFields.SETTINGS);
        List<Graph.Operator> operators = operators(root, context, checker, diagnostics);
        List<Graph.Link> links = links(root, context, checker, diagnostics);
        rest(root, checker, diagnostics);
        Values whole = new Values(context, format.graph(), root);
        boolean named = root.get("name") instanceof Node.Str;
        Graph graph = new Graph(fileName, named ? whole.string("name", "") : "",
                root.get("doc") instanceof Node.Str doc ? doc.value() : "", settings ? whole.fields("settings") : null, operators,
                links, checker.expressions(), diagnostics.sorted());
        return new Checked<>(graph, graph.diagnostics());
    }

    /** The canonical form of a graph or deployment file; null, with the reason, if it is not JSON. */
    public Checked<String> format(String text, String fileName) {
        Diagnostics diagnostics = new Diagnostics(fileName);
        Node.Obj root = object(new JsonReader(new FileText(text), diagnostics).read(), diagnostics);
        if (root == null || diagnostics.hasErrors()) {
            return new Checked<>(null, diagnostics.sorted());
        }
        Section section = root.get("resources") != null ? Format.DEPLOYMENT : format.graph();
        return Checked.of(JsonWriter.write(root, section), diagnostics);
    }

    /** Reads a deployment and checks it against the declaration; null if it has errors. */
    public static Checked<Values> loadDeployment(String text, String fileName) {
        Diagnostics diagnostics = new Diagnostics(fileName);
        FileText source = new FileText(text);
        Node.Obj root = object(new JsonReader(source, diagnostics).read(), diagnostics);
        if (root == null) {
            return new Checked<>(null, diagnostics.sorted());
        }
        Values.Context context = new Values.Context(source, new Parameters(Set.of(), Map.of()));
        new Checker(diagnostics, context, false).check(root, new FieldKind.Fields(Format.DEPLOYMENT));
        return Checked.of(new Values(context, Format.DEPLOYMENT, root), diagnostics);
    }

    private static Node.Obj object(Node root, Diagnostics diagnostics) {
        if (root != null && !(root instanceof Node.Obj) && !(root instanceof Node.Null)) {
            diagnostics.error(root.place(), Rule.WRONG_TYPE, "found " + root.what() + " where an object should be", null);
        }
        return root instanceof Node.Obj object ? object : null;
    }

    private static Parameters parameters(Node.Obj root, Map<String, String> given, Diagnostics diagnostics) {
        Map<String, String> values = new HashMap<>();
        Set<String> declared = Set.of();
        if (root.get("parameters") instanceof Node.Obj object) {
            declared = object.members().keySet();
            object.members().forEach((name, node) -> {
                if (node instanceof Node.Obj parameter && parameter.get("default") instanceof Node.Str value) {
                    values.put(name, value.value());
                }
            });
        }
        for (Map.Entry<String, String> entry : given.entrySet()) {
            if (declared.contains(entry.getKey())) {
                values.put(entry.getKey(), entry.getValue());
            } else {
                String nearest = Nearest.hint(entry.getKey(), declared);
                diagnostics.error(root.get("parameters") == null ? root.place() : root.get("parameters").place(), Rule.PARAMETER,
                        "the graph does not declare parameter `" + entry.getKey() + "`, for which a value is given",
                        nearest == null ? "the graph has no parameters" : nearest);
            }
        }
        return new Parameters(declared, values);
    }

    private List<Graph.Operator> operators(Node.Obj root, Values.Context context, Checker checker,
            Diagnostics diagnostics) {
        List<Graph.Operator> operators = new ArrayList<>();
        if (!(root.get("operators") instanceof Node.Obj object)) {
            return operators;
        }
        if (object.members().isEmpty()) {
            diagnostics.error(object.place(), Rule.OUT_OF_RANGE, "the graph has no operators", null);
        }
        object.members().forEach((id, node) -> {
            boolean named = id.matches(Format.ID);
            if (!named) {
                diagnostics.error(node.place(), Rule.BAD_NAME, "`" + id + "` is not a valid operator id",
                        "it must match " + Format.ID);
            }
            boolean sound = checker.check(node, format.operator()) && named;
            OperatorType type = node instanceof Node.Obj o && o.get("type") instanceof Node.Str word
                    ? format.type(word.value()) : null;
            Values fields = sound ? new Values(context,
                    format.operator().section(type.word()), (Node.Obj) node) : null;
            operators.add(new Graph.Operator(id, type, node.place(), fields));
        });
        return operators;
    }

    private static List<Graph.Link> links(Node.Obj root, Values.Context context, Checker checker, Diagnostics diagnostics) {
        List<Graph.Link> links = new ArrayList<>();
        if (!(root.get("links") instanceof Node.Arr array)) {
            return links;
        }
        for (Node node : array.items()) {
            boolean sound = checker.check(node, CommonFields.LINK);
            Section section = ((FieldKind.Fields) CommonFields.LINK).section();
            links.add(new Graph.Link(links.size(), node.place(), sound ? new Values(context, section, (Node.Obj) node) : null));
        }
        return links;
    }

    /** Checks the top level except settings, operators and links, which are checked one by one. */
    private void rest(Node.Obj root, Checker checker, Diagnostics diagnostics) {
        Map<String, Node> others = new LinkedHashMap<>(root.members());
        others.remove("settings");
        if (others.get("operators") instanceof Node.Obj operators) {
            others.put("operators", new Node.Obj(operators.place(), Map.of()));
        }
        if (others.get("links") instanceof Node.Arr links) {
            others.put("links", new Node.Arr(links.place(), List.of()));
        }
        Node version = others.get("format");
        if (version instanceof Node.Num number && !number.text().equals(Integer.toString(Format.VERSION))) {
            diagnostics.error(version.place(), Rule.FORMAT_VERSION, "format " + number.text() + " is not known",
                    "this engine reads format " + Format.VERSION);
            others.put("format", new Node.Num(version.place(), Integer.toString(Format.VERSION)));
        }
        checker.check(new Node.Obj(root.place(), others), new FieldKind.Fields(format.graph()));
    }
}
