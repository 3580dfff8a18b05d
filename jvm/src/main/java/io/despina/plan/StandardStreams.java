package io.despina.plan;

import io.despina.descriptor.Diagnostics;
import io.despina.descriptor.Graph;
import io.despina.descriptor.Rule;
import java.util.List;
import java.util.Map;

/** A file source that reads the command's standard input, and a file sink that writes its standard output. */
public final class StandardStreams {
    /** The path of standard streams. */
    private static final String PATH = "-";

    private StandardStreams() {
    }

    /** Whether a path of the graph or the plan means the command's own stream. */
    public static boolean isMeant(String path) {
        return path.equals(PATH);
    }

    /** Whether the plan reads standard input. */
    public static boolean reads(Plan plan) {
        return plan.operators().stream().anyMatch(each -> reads(each.spec()));
    }

    /** Whether the plan writes to standard output. */
    public static boolean writes(Plan plan) {
        return plan.operators().stream().anyMatch(each -> writes(each.spec()));
    }

    /** Whether the operator uses a standard stream. */
    public static boolean uses(OperatorSpec spec) {
        return reads(spec) || writes(spec);
    }

    public static boolean reads(OperatorSpec spec) {
        return spec instanceof ReadsFiles source && isMeant(source.path());
    }

    public static boolean writes(OperatorSpec spec) {
        return spec instanceof WritesFiles sink && isMeant(sink.path());
    }

    /** Whether the operator sets no field that needs a file; reports one that does. */
    public static boolean canBe(PlanningContext context, String path, String stream, String... ofFiles) {
        for (String field : isMeant(path) ? ofFiles : new String[0]) {
            if (context.fields().isWritten(field)) {
                context.refuse(context.fields().place(field), Rule.EXCLUSIVE, "`" + field + "` needs a file, and `-` is standard "
                        + stream, "leave it out, or give a path");
                return false;
            }
        }
        return true;
    }

    /** Two sources would each get a part of standard input. Two sinks with one path are refused elsewhere. */
    static void refuseSecondReader(List<Graph.Operator> operators, Map<String, PlannedOperator> planned,
            Diagnostics diagnostics) {
        String first = null;
        for (Graph.Operator operator : operators) {
            if (!planned.containsKey(operator.id()) || !reads(planned.get(operator.id()).spec())) {
                continue;
            }
            if (first != null) {
                diagnostics.error(operator.fields().place("path"), Rule.PATH, "`" + operator.id()
                        + "` reads standard input, as `" + first + "` does", "link both to one file_source");
            }
            first = operator.id();
        }
    }
}
