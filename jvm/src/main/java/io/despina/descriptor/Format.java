package io.despina.descriptor;

import static io.despina.descriptor.CommonFields.DOC;
import static io.despina.descriptor.CommonFields.DOC_FIELD;
import static io.despina.descriptor.CommonFields.LINK;
import static io.despina.descriptor.CommonFields.SETTINGS;
import static io.despina.descriptor.CommonFields.TEXT;
import static io.despina.descriptor.CommonFields.TEXTS;
import static io.despina.descriptor.FieldSpec.optional;
import static io.despina.descriptor.FieldSpec.or;
import static io.despina.descriptor.FieldSpec.required;

import java.util.List;

/** The declaration of the graph file and of the deployment file. Fields of the operator types are in {@link OperatorFields}. */
public final class Format {
    /** The version of the format that this engine reads and writes. */
    public static final int VERSION = 1;
    /** What an operator's id looks like. */
    public static final String ID = "[a-z][a-z0-9_]*";

    /** Bytes of a graph's name: with a job's number behind it, it must go into a channel's first words, which hold 255. */
    private static final int MOST_NAME = 200;

    static final Kind OPERATOR = new Kind.Variant("operator", OperatorFields.ALL);

    /** The whole graph file. */
    public static final Section GRAPH = Section.of("graph", "A graph of operators and the links between them.",
            optional("$schema", CommonFields.DOC, "none", "Where editors find the schema of this file. The engine does not read "
                    + "it."),
            required("format", new Kind.Whole(VERSION, VERSION), "The version of the format."),
            required("name", new Kind.Text(MOST_NAME), "Jobs are named by it."),
            DOC_FIELD,
            optional("parameters", new Kind.MapOf(CommonFields.NAME, "parameter", new Kind.Fields(Section.of("parameter",
                    "A value that is given when the graph is run; `${name}` in a string stands for it.",
                    DOC_FIELD, optional("default", DOC, "none: it must be given", "Its value if none is given.")))),
                    "none", "What may differ from run to run: `--set name=value`."),
            or("settings", SETTINGS, "{}", "What holds for the whole graph."),
            required("operators", new Kind.MapOf(ID, "operator id", OPERATOR), "The operators by id."),
            required("links", new Kind.ListOf(LINK, 0), "The links."));

    /** The whole deployment file. */
    public static final Section DEPLOYMENT = Section.of("deployment", "Where the operators of a graph run.",
            required("format", new Kind.Whole(VERSION, VERSION), "The version of the format."),
            required("resources", new Kind.MapOf(ID, "resource", new Kind.Fields(Section.of("resource",
                    "A JVM of its own. `despina run` starts those on 127.0.0.1; others join by `despina resource`.",
                    or("host", TEXT, "\"127.0.0.1\"", "The address of its machine. Latency is measured only where all have the "
                            + "same."),
                    optional("control_port", new Kind.Whole(1, 65535), "any free one", "The TCP port of the coordinator "
                            + "(`despina run`) at which it joins."),
                    or("memory_bytes", new Kind.Whole(16L << 20, Long.MAX_VALUE), "268435456",
                            "Memory for packets and state; the heap is set from it. If it is written, a resource that joins must "
                            + "have been started with the same `--memory`."),
                    optional("cores", new Kind.Whole(1, 1024), "the machine's", "How many worker threads it has; a resource "
                            + "that joins is "
                            + "told by `--cores`."),
                    optional("allow_classes", TEXTS, "none", "User classes that graphs may load: names, or prefixes ending in "
                            + "`.*`.")))),
                    "The resources by name."),
            optional("place", new Kind.MapOf("\\*|" + ID, "operator id or `*`", TEXTS), "spread over all",
                    "Which resources run an operator: its first instance the first of them, and so on in turn. `*` stands for "
                            + "all "
                    + "operators that are not named."));

    private Format() {
    }
}
