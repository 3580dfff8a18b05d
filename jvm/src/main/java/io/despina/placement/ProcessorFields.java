package io.despina.placement;

import io.despina.descriptor.Diagnostics;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Values;
import io.despina.placement.Deployment.Processors;
import io.despina.placement.Deployment.Start;
import java.util.List;

/** The fields that say which processors a resource runs on. */
final class ProcessorFields {
    private static final String CPUS = "cpus";
    private static final String NODE = "node";

    private ProcessorFields() {
    }

    /** What they say; reports what is wrong with them. */
    static Processors read(String name, Values v, Diagnostics diagnostics) {
        List<String> written = List.of(CPUS, NODE).stream().filter(v::isWritten).toList();
        Processors any = Processors.any((int) v.whole("cores", 0));
        if (written.isEmpty()) {
            return any;
        }
        String field = written.get(0);
        Start start = v.constant("start", Start.class);
        if (start != Start.CHILD) {
            diagnostics.error(v.place(field), Rule.EXCLUSIVE, "resource `" + name + "` " + (start == Start.JOIN
                    ? "joins, and whoever starts it says which processors it runs on" : "runs in an executor, whose processors "
                    + "are Spark's"), "leave out \"" + field + "\"" + (start == Start.JOIN ? ", and start it under "
                    + (field.equals(CPUS) ? "`taskset --cpu-list " + v.text(CPUS).value() : "`numactl --cpunodebind="
                    + v.whole(NODE, 0) + " --membind=" + v.whole(NODE, 0)) + " despina resource …`" : ""));
            return any;
        }
        if (written.size() > 1) {
            diagnostics.error(v.place(NODE), Rule.EXCLUSIVE, "resource `" + name + "` has `cpus` and `node`",
                    "a node stands for its processors: leave one of them out");
            return any;
        }
        return field.equals(NODE) ? new Processors(any.cores(), null, (int) v.whole(NODE, 0)) : cpus(v, any, diagnostics);
    }

    private static Processors cpus(Values v, Processors any, Diagnostics diagnostics) {
        try {
            return new Processors(any.cores(), Cpus.parse(v.text(CPUS).value()), Processors.NO_NODE);
        } catch (IllegalArgumentException wrong) {
            diagnostics.error(v.place(CPUS), Rule.OUT_OF_RANGE, "cpus=`" + v.text(CPUS).value() + "`: " + wrong.getMessage(),
                    "write numbers and ranges, as \"0-3,8\"");
            return any;
        }
    }

    /** Refuses spares where resources have processors of their own: one that stands by runs on others. */
    static void checkSpares(Deployment deployment, Values v, Diagnostics diagnostics) {
        Deployment.Resource bound = deployment.bound();
        if (bound != null && deployment.losses().spares() > 0) {
            diagnostics.error(v.place("spares"), Rule.EXCLUSIVE, "resource `" + bound.name() + "` has processors of its own, and "
                    + "a spare runs on others", "leave \"spares\" out: a new child is started on those processors");
        }
    }
}
