package io.despina.placement;

import io.despina.descriptor.Diagnostics;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Values;
import io.despina.placement.Deployment.Processors;
import io.despina.placement.Deployment.Start;
import java.util.List;

/** The fields that say which processors a resource runs on, and what its threads do there. */
final class ProcessorFields {
    private static final String CPUS = "cpus";
    private static final String NODE = "node";
    private static final String PIN = "pin";
    private static final String POLL = "poll_us";
    private static final String IO = "io_threads";
    private static final String SHARE = "share";
    private static final String OVERCOMMIT = "overcommit";

    private ProcessorFields() {
    }

    /** What they say; reports what is wrong with them. */
    static Processors read(String name, Values v, Diagnostics diagnostics) {
        List<String> written = List.of(CPUS, NODE, PIN, POLL, IO, SHARE, OVERCOMMIT).stream().filter(v::isWritten).toList();
        Start start = v.constant("start", Start.class);
        if (start != Start.CHILD && !written.isEmpty()) {
            refuseOthers(name, v, written.get(0), diagnostics);
            return Processors.any(WorkerThreads.of((int) v.whole("cores", 0)));
        }
        Processors any = new Processors(new WorkerThreads((int) v.whole("cores", 0), (int) v.whole(IO, 0),
                (int) v.whole(POLL, 0), v.string(PIN, "").equals("cores")), null, Processors.NO_NODE,
                new ProcessorUse(v.string(SHARE, "").equals("exclusive"), v.flag(OVERCOMMIT)));
        if (!v.isWritten(CPUS) && !v.isWritten(NODE)) {
            if (any.use().isExclusive()) {
                diagnostics.error(v.place(SHARE), Rule.EXCLUSIVE, "resource `" + name + "` is to have processors for itself, and "
                        + "names none", "add \"cpus\" or \"node\": `despina doctor --machine` lists them");
            }
            return any;
        }
        if (v.isWritten(CPUS) && v.isWritten(NODE)) {
            diagnostics.error(v.place(NODE), Rule.EXCLUSIVE, "resource `" + name + "` has `cpus` and `node`",
                    "a node stands for its processors: leave one of them out");
            return any;
        }
        return v.isWritten(NODE) ? new Processors(any.threads(), null, (int) v.whole(NODE, 0), any.use())
                : cpus(name, v, any, diagnostics);
    }

    /** Of a resource that is no child. */
    private static void refuseOthers(String name, Values v, String field, Diagnostics diagnostics) {
        boolean joins = v.constant("start", Start.class) == Start.JOIN;
        boolean ofThreads = !field.equals(CPUS) && !field.equals(NODE);
        diagnostics.error(v.place(field), Rule.EXCLUSIVE, "resource `" + name + "` " + (ofThreads
                ? "is no child of the command, which alone says how its children use processors" : joins
                ? "joins, and whoever starts it says which processors it runs on"
                : "runs in an executor, whose processors are Spark's"), "leave out \"" + field + "\""
                + (!joins || ofThreads ? "" : ", and start it under " + (field.equals(CPUS) ? "`taskset --cpu-list "
                + v.text(CPUS).value() : "`numactl --cpunodebind=" + v.whole(NODE, 0) + " --membind=" + v.whole(NODE, 0))
                + " despina resource …`"));
    }

    private static Processors cpus(String name, Values v, Processors any, Diagnostics diagnostics) {
        try {
            Cpus cpus = Cpus.parse(v.text(CPUS).value());
            WorkerThreads threads = any.threads();
            if (threads.arePinned() && threads.count() > cpus.count()) {
                diagnostics.error(v.place(PIN), Rule.EXCLUSIVE, "resource `" + name + "` has cores=" + threads.count()
                        + " worker threads, and cpus=" + cpus + " to pin them to", "leave \"cores\" out: it is then "
                        + cpus.count());
            }
            return new Processors(threads, cpus, Processors.NO_NODE, any.use());
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
