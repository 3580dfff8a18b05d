package io.despina.control.coordinator;

import io.despina.control.protocol.Refusal;
import io.despina.plan.Overlap;
import io.despina.plan.Plan;
import io.despina.plan.PlannedOperator;
import io.despina.plan.ReadsFiles;
import io.despina.plan.WritesFiles;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Finds sinks that would write into their job's input through a symbolic link, which the planner cannot see because it reads no
 * files.
 */
final class RealPaths {
    private RealPaths() {
    }

    /** For a job with files on this machine. */
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

    /** Resolves the existing part of a path, and appends the rest. */
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
