package io.despina.descriptor;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Finds the parts that a graph declares, in its own text and in the files that come with it. Opens no file. */
final class Parts {
    private final GraphFormat format;
    private final String graphFile;
    private final GivenText given;
    private final Diagnostics diagnostics;
    /** Files that were read, by path. */
    private final Map<String, DeclaredPart> read = new HashMap<>();
    private final List<DeclaredPart> written = new ArrayList<>();

    /** @param graphFile the graph's own, for people */
    Parts(GraphFormat format, String graphFile, GivenText given, Diagnostics diagnostics) {
        this.format = format;
        this.graphFile = graphFile;
        this.given = given;
        this.diagnostics = diagnostics;
    }

    /** The parts by name that a graph declares. @param root of the graph; it has been checked, but for what parts contain */
    Map<String, DeclaredPart> of(Node.Obj root, FileText source) {
        return of(root, source, null, "");
    }

    /** All parts that are in order, in the order in which they were found. */
    List<DeclaredPart> all() {
        return written;
    }

    /** The object, in whose parts nothing stands where operators and links should be: these are checked where they are used. */
    static Node.Obj emptied(Node.Obj object) {
        Map<String, Node> members = new LinkedHashMap<>(object.members());
        members.computeIfPresent("operators", (name, node) -> node instanceof Node.Obj
                ? new Node.Obj(node.place(), Map.of()) : node);
        members.computeIfPresent("links", (name, node) -> node instanceof Node.Arr
                ? new Node.Arr(node.place(), List.of()) : node);
        members.computeIfPresent("parts", (name, node) -> {
            Map<String, Node> parts = new LinkedHashMap<>(DeclaredPart.members(object, name));
            parts.replaceAll((part, content) -> content instanceof Node.Obj inline ? emptied(inline) : content);
            return node instanceof Node.Obj ? new Node.Obj(node.place(), parts) : node;
        });
        return new Node.Obj(object.place(), members);
    }

    private Map<String, DeclaredPart> of(Node.Obj root, FileText source, String file, String folder) {
        Map<String, DeclaredPart> known = new LinkedHashMap<>();
        DeclaredPart.members(root, "parts").forEach((name, node) -> {
            boolean sound = node instanceof Node.Obj && !diagnostics.hasErrors(node.place());
            Node.Obj content = sound ? (Node.Obj) node : null;
            if (sound && content.get("path") instanceof Node.Str path) {
                DeclaredPart inFile = inFile(path, folder);
                known.put(name, new DeclaredPart(name, inFile.content(), inFile.source(), inFile.file(), "", inFile.known()));
            } else {
                known.put(name, new DeclaredPart(name, content, source, file, node.place().pointer(), known));
            }
            if (known.get(name).content() != null) {
                written.add(known.get(name));
            }
        });
        return known;
    }

    private DeclaredPart inFile(Node.Str path, String folder) {
        String resolved = resolved(folder, path.value());
        DeclaredPart before = read.get(resolved);
        if (before != null) {
            return before;
        }
        GivenText.File found = given.files().get(resolved);
        if (found == null || found.text() == null) {
            diagnostics.error(path.place(), Rule.UNKNOWN_PART, "the file `" + path.value() + "` cannot be read: "
                    + (found == null || found.problem() == null ? "it did not come with the graph" : found.problem()),
                    path.value().contains("${") ? "parameters are not filled in here"
                            : "a relative path is from the folder of the file that names it");
            return new DeclaredPart("", null, null, null, "", Map.of());
        }
        String file = resolved(parent(graphFile), resolved);
        FileText source = new FileText(found.text(), new PartUse(file, null, "", path.place()));
        Node root = new JsonReader(source, diagnostics).read();
        Map<String, DeclaredPart> known = new LinkedHashMap<>();
        Node.Obj content = root instanceof Node.Obj object && isSound(object, source) ? object : null;
        DeclaredPart part = new DeclaredPart("", content, source, file, "", known);
        read.put(resolved, part);       // before those that it names, which may name it
        if (part.content() != null) {
            known.putAll(of(part.content(), source, file, parent(resolved)));
        } else if (root != null && !(root instanceof Node.Obj)) {
            diagnostics.error(root.place(), Rule.WRONG_TYPE, "found " + root.what() + " where an object should be", null);
        }
        return part;
    }

    private boolean isSound(Node.Obj root, FileText source) {
        Values.Context context = new Values.Context(source, new Parameters(Set.of(), Map.of()));
        return new Checker(diagnostics, context, true).check(emptied(root), new FieldKind.Fields(format.part()));
    }

    /** As Python says it, who sends the files. */
    private static String resolved(String folder, String path) {
        try {
            return Path.of(folder).resolve(path).normalize().toString();
        } catch (InvalidPathException e) {
            return path;
        }
    }

    private static String parent(String file) {
        int end = file.lastIndexOf('/');
        return end < 0 ? "" : file.substring(0, Math.max(end, 1));
    }
}
