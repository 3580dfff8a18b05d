package io.despina.control.coordinator;

import io.despina.control.protocol.Refusal;
import io.despina.plan.Overlap;
import io.despina.plan.Plan;
import io.despina.plan.PlannedOperator;
import io.despina.plan.ReadsFiles;
import io.despina.plan.WritesFiles;
import java.io.IOException;
import java.nio.file.Path;

/** Sinks that would write into their job's input by way of a symbolic link: what the planner, which reads nothing, cannot see. */
final class RealPaths {
    private RealPaths() {
    }

    /** For a job whose files are this machine's. */
    static void refuseOverlaps(Plan plan) throws Refusal {
        for (PlannedOperator sink : plan.operators()) {
            if (sink.spec() instanceof WritesFiles writes) {
                refuseOverlaps(plan, sink.id(), writes);
            }
        }
    }

    private static void refuseOverlaps(Plan plan, String sink, WritesFiles writes) throws Refusal {
        for (PlannedOperator source : plan.operators()) {
            String found = source.spec() instanceof ReadsFiles reads
                    ? Overlap.words(source.id(), reads, writes, RealPaths::real) : null;
            if (found != null) {
                throw new Refusal("path", "`" + sink + "` " + found + ", through a symbolic link", Overlap.HINT);
            }
        }
    }

    /** Where the part of a path that exists leads, and the rest below it. */
    private static Path real(Path path) {
        for (Path existing = path; existing != null; existing = existing.getParent()) {
            try {
                return existing.toRealPath().resolve(existing.relativize(path));
            } catch (IOException missing) {
                continue;
            }
        }
        return path;
    }
}
