package io.despina.plan;

import io.despina.descriptor.Diagnostics;
import io.despina.descriptor.Graph;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Values;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Plans sinks. */
final class Sinks {
    /** Where the input has no end, and the graph does not say. */
    private static final long ROLL_EVERY_MS = 60_000;

    private Sinks() {
    }

    static Outcome file(Site site) {
        Values fields = site.fields();
        OperatorSpec.Format format = fields.constant("format", OperatorSpec.Format.class);
        String problem = unwritable(format, site.input().schema());
        if (problem != null) {
            return site.refuse(fields.place("format"), Rule.COLUMN_TYPE, problem, "select other columns before it, or use another format");
        }
        boolean single = fields.flag("single_file");
        String path = LocalPath.planned(site, fields.text("path"));
        if (path == null || !FormatOptions.canWrite(site, format)
                || !StandardStreams.canBe(site, path, "output", "single_file", "if_exists", "roll_every_ms", "roll_bytes")) {
            return null;
        }
        OperatorSpec spec = new OperatorSpec.FileSink(path, single, format,
                fields.strings("options"), fields.string("if_exists", "").equals("replace"),
                new OperatorSpec.Roll(fields.whole("roll_every_ms", site.isUnbounded() ? ROLL_EVERY_MS : 0), fields.whole("roll_bytes", 0)));
        return new Outcome(spec, null, List.of(), single ? "single_file is one file"
                : StandardStreams.writes(spec) ? "standard output is one stream" : null);
    }

    static Outcome collect(Site site) {
        return Outcome.of(new OperatorSpec.CollectSink(), null);
    }

    static Outcome console(Site site) {
        return Outcome.of(new OperatorSpec.ConsoleSink(), null);
    }

    static Outcome discard(Site site) {
        OperatorSpec.Verify verify = site.fields().constant("verify", OperatorSpec.Verify.class);
        if (verify != OperatorSpec.Verify.NONE && !site.input().schema().equals(Sources.RELAY)) {
            return site.refuse(site.fields().place("verify"), Rule.COLUMN_TYPE, "`verify` is for relay packets, and the stream has "
                    + site.input().schema().sql(), "relay packets have columns " + Sources.RELAY.sql());
        }
        return Outcome.of(new OperatorSpec.DiscardSink(verify), null);
    }

    /** Two file sinks with one path would take each other's files, and one that writes where a source reads, its input. */
    static void refuseSharedPaths(List<Graph.Operator> operators, Map<String, PlannedOperator> planned, Diagnostics diagnostics) {
        Map<String, String> writers = new HashMap<>();
        for (Graph.Operator operator : operators) {
            if (planned.containsKey(operator.id()) && planned.get(operator.id()).spec() instanceof OperatorSpec.FileSink sink) {
                refuseOwnInput(operator, sink, planned.values(), diagnostics);
                String other = writers.putIfAbsent(sink.path().replaceFirst("^file:", ""), operator.id());
                if (other != null) {
                    diagnostics.error(operator.fields().place("path"), Rule.PATH, "`" + operator.id() + "` writes where `" + other
                            + "` does", "give each file_sink a path of its own, or link both streams to one");
                }
            }
        }
    }

    private static void refuseOwnInput(Graph.Operator operator, OperatorSpec.FileSink sink, Collection<PlannedOperator> planned,
            Diagnostics diagnostics) {
        for (PlannedOperator other : planned) {
            String found = other.spec() instanceof OperatorSpec.FileSource source ? Overlap.words(other.id(), source, sink) : null;
            if (found != null) {
                diagnostics.error(operator.fields().place("path"), Rule.PATH, "`" + operator.id() + "` " + found, Overlap.HINT);
            }
        }
    }

    /** Whether that sink's packets are what it verifies: those of one generator, as it made them. */
    static void refuseUnverifiable(Graph.Operator operator, List<PlannedOperator> sources, Diagnostics diagnostics) {
        boolean one = sources.size() == 1 && sources.get(0).spec() instanceof OperatorSpec.GeneratorSource source
                && source.rows() instanceof OperatorSpec.Rows.Packets;
        if (!one) {
            diagnostics.error(operator.fields().place("verify"), Rule.EXCLUSIVE, "`verify` needs the relay packets of one"
                    + " generator_source, and these come from " + String.join(", ", sources.stream().map(o -> "`" + o.id() + "`")
                    .sorted().toList()), "give each source a sink of its own");
        }
    }

    /** Why files of that format cannot hold the columns, or null if they can. */
    static String unwritable(OperatorSpec.Format format, Schema schema) {
        if (format == OperatorSpec.Format.TEXT) {
            boolean one = schema.size() == 1 && schema.column(0).type() == Type.Simple.STRING;
            return one ? null : "format text has one STRING column, and this is " + schema.sql();
        }
        if (format == OperatorSpec.Format.CSV) {
            for (Column column : schema.columns()) {
                Type type = column.type();
                if (type instanceof Type.Array || type instanceof Type.MapOf || type instanceof Type.Struct
                        || type instanceof Type.Void) {
                    return "format csv cannot hold column `" + column.name() + "` of type " + type.sql();
                }
            }
        }
        return null;
    }
}
