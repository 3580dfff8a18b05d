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
     * Reads a graph, with the operators of its parts in the place of each use, and checks it against the declaration.
     *
     * @param text       the graph's; where it has parts in files, a sequence with these behind it, see {@link GivenText}
     * @param fileName   its name in messages
     * @param parameters values for the graph's parameters
     * @return the valid parts of the graph (null if it is not an object), with all errors
     */
    public Checked<Graph> load(String text, String fileName, Map<String, String> parameters) {
        Diagnostics diagnostics = new Diagnostics(fileName);
        Read read = read(GivenText.of(text), fileName, parameters, diagnostics);
        if (read == null) {
            return new Checked<>(null, diagnostics.sorted());
        }
        Node.Obj root = read.root();
        boolean settings = root.get("settings") == null || read.checker().check(root.get("settings"), CommonFields.SETTINGS);
        List<Graph.Operator> operators = operators(root, read.expansion(), diagnostics);
        List<Graph.Link> links = links(read.expansion());
        Values whole = new Values(read.checker().context(), format.graph(), root);
        boolean named = root.get("name") instanceof Node.Str;
        Graph graph = new Graph(fileName, named ? whole.string("name", "") : "",
                root.get("doc") instanceof Node.Str doc ? doc.value() : "", settings ? whole.fields("settings") : null, operators,
                links, read.expansion().expressions(), diagnostics.sorted());
        return new Checked<>(graph, graph.diagnostics());
    }

    /**
     * The same graph without parts, as far as it is in order: {@link #load} says what is wrong. Its own parameters stay.
     *
     * @param text     as of {@link #load}
     * @param fileName its name in messages
     * @return null if it has no parts, or is no object
     */
    public Checked<WholeGraph> expand(String text, String fileName) {
        Read read = read(GivenText.of(text), fileName, null, new Diagnostics(fileName));
        return new Checked<>(read == null || read.root().get("parts") == null ? null
                : WholeGraph.of(read.root(), read.expansion(), format), List.of());
    }

    /** A graph's text, and what becomes of it. @param checker of the text, but for its parts */
    private record Read(Node.Obj root, Checker checker, Expansion expansion) {
    }

    /** @param parameters null: any values do */
    private Read read(GivenText given, String fileName, Map<String, String> parameters, Diagnostics diagnostics) {
        FileText source = new FileText(given.graph());
        Node.Obj root = object(new JsonReader(source, diagnostics).read(), diagnostics);
        if (root == null) {
            return null;
        }
        Map<String, String> values = new HashMap<>(parameters == null ? Map.of() : parameters);
        if (parameters == null) {
            DeclaredPart.members(root, "parameters").keySet().forEach(name -> values.put(name, ""));
        }
        Values.Context context = new Values.Context(source, parameters(root, values, diagnostics));
        Checker checker = new Checker(diagnostics, context, true);
        rest(root, checker, diagnostics);
        Parts parts = new Parts(format, fileName, given, diagnostics);
        Expansion expansion = new Expansion(format, parts.of(root, source), diagnostics);
        expansion.expand(root, checker);
        expansion.warnOfUnused(parts.all());
        return new Read(root, checker, expansion);
    }

    /** The canonical form of a file with a graph, a part or a deployment; null, with the reason, if it is not JSON. */
    public Checked<String> format(String text, String fileName) {
        Diagnostics diagnostics = new Diagnostics(fileName);
        FileText source = new FileText(GivenText.of(text).graph());
        Node.Obj root = object(new JsonReader(source, diagnostics).read(), diagnostics);
        if (root == null || diagnostics.hasErrors()) {
            return new Checked<>(null, diagnostics.sorted());
        }
        Section section = root.get("resources") != null ? Format.DEPLOYMENT
                : root.get("inputs") != null || root.get("outputs") != null ? format.part() : format.graph();
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

    /** Any JSON, with the places of its values; null, with the reason, if it is none. */
    public static Checked<Node> readAny(String text, String fileName) {
        Diagnostics diagnostics = new Diagnostics(fileName);
        Node root = new JsonReader(new FileText(text), diagnostics).read();
        return new Checked<>(root, root == null ? diagnostics.sorted() : List.of());    // null may stand in it
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

    private List<Graph.Operator> operators(Node.Obj root, Expansion expansion, Diagnostics diagnostics) {
        if (root.get("operators") instanceof Node.Obj object && object.members().isEmpty()) {
            diagnostics.error(object.place(), Rule.OUT_OF_RANGE, "the graph has no operators", null);
        }
        List<Graph.Operator> operators = new ArrayList<>();
        for (Expansion.Operator each : expansion.operators()) {
            Node node = each.node();
            boolean named = each.id().matches(Format.ID);
            if (!named) {
                diagnostics.error(node.place(), Rule.BAD_NAME, "`" + each.id() + "` is not a valid operator id",
                        "it must match " + Format.ID);
            }
            boolean sound = each.checker().check(node, format.operator()) && named;
            OperatorType type = node instanceof Node.Obj o && o.get("type") instanceof Node.Str word
                    ? format.type(word.value()) : null;
            Values fields = sound ? new Values(each.checker().context(),
                    format.operator().section(type.word()), (Node.Obj) node) : null;
            operators.add(new Graph.Operator(each.id(), type, node.place(), fields));
        }
        return operators;
    }

    private static List<Graph.Link> links(Expansion expansion) {
        Section section = ((FieldKind.Fields) CommonFields.LINK).section();
        List<Graph.Link> links = new ArrayList<>();
        for (Expansion.Link each : expansion.links()) {
            links.add(new Graph.Link(links.size(), each.place(), each.node() == null ? null
                    : new Values(each.checker().context(), section, (Node.Obj) each.node())));
        }
        return links;
    }

    /** Checks the top level except settings, operators and links, which are checked one by one. */
    private void rest(Node.Obj root, Checker checker, Diagnostics diagnostics) {
        Map<String, Node> others = new LinkedHashMap<>(Parts.emptied(root).members());
        others.remove("settings");
        Node version = others.get("format");
        if (version instanceof Node.Num number && !number.text().equals(Integer.toString(Format.VERSION))) {
            diagnostics.error(version.place(), Rule.FORMAT_VERSION, "format " + number.text() + " is not known",
                    "this engine reads format " + Format.VERSION);
            others.put("format", new Node.Num(version.place(), Integer.toString(Format.VERSION)));
        }
        checker.check(new Node.Obj(root.place(), others), new FieldKind.Fields(format.graph()));
    }
}
