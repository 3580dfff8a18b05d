package io.despina.control.folder;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.despina.control.epoch.Retention;
import io.despina.control.protocol.Refusal;
import io.despina.json.Json;
import io.despina.snapshot.FolderFacts;
import io.despina.snapshot.FolderHold;
import io.despina.snapshot.Holder;
import io.despina.snapshot.StateFolder;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Removes what no epoch needs any more, as a running job does by itself. */
final class FolderClearing {
    private static final long LOOK_MILLIS = 250;
    private static final int RENEWALS = 5;
    private static final String REMOVES_BY_ITSELF = "a job that runs removes by itself what it no longer needs; --dry-run says"
            + " what that is";

    private final LongSupplier clock;
    private final LongSupplier wall;

    /**
     * @param clock nanoseconds, monotonic
     * @param wall  milliseconds since 1970
     */
    FolderClearing(LongSupplier clock, LongSupplier wall) {
        this.clock = clock;
        this.wall = wall;
    }

    /** @param dry whether it only says what would go */
    ObjectNode of(StateFolders folders, List<GraphFolder> wanted, boolean dry) throws IOException, Refusal {
        ObjectNode answer = Json.object().put("folder", folders.address()).put("dry_run", dry);
        ArrayNode graphs = answer.putArray("graphs");
        for (GraphFolder each : wanted) {
            if (dry) {
                told(each, graphs.addObject(), unneeded(each.state()));
                continue;
            }
            try (FolderHold hold = new FolderHold(each.store(), each.state().paths(), self())) {
                refuseInUse(each, hold, REMOVES_BY_ITSELF);
                List<String> files = unneeded(each.state());
                told(each, graphs.addObject(), files);
                delete(each, hold, files);
            }
        }
        return answer;
    }

    /** @throws Refusal if a job uses one of them */
    ObjectNode givenUp(List<GraphFolder> wanted) throws IOException, Refusal {
        for (GraphFolder each : wanted) {
            try (FolderHold hold = new FolderHold(each.store(), each.state().paths(), self())) {
                refuseInUse(each, hold, "stop it first");
            }
        }
        return Json.object();
    }

    private Holder self() {
        return new Holder(UUID.randomUUID().toString(), "this machine", ProcessHandle.current().pid(),
                wall.getAsLong(), -1);
    }

    private void refuseInUse(GraphFolder folder, FolderHold hold, String hint) throws IOException, Refusal {
        Holder holder = hold.watch(clock, FolderClearing::pause);
        if (holder == null || !holder.isAlive()) {
            keep(folder, hold, hint);
        } else {
            throw inUse(folder, holder, hint);
        }
    }

    private static Refusal inUse(GraphFolder folder, Holder holder, String hint) {
        return new Refusal(StateFolders.RULE, "graph `" + folder.graph() + "` is run by " + holder.words(), hint);
    }

    private void keep(GraphFolder folder, FolderHold hold, String hint) throws IOException, Refusal {
        Holder other = hold.renew(clock.getAsLong());
        if (other != null) {
            throw inUse(folder, other, hint);
        }
    }

    /** A lease may be shorter than that takes, or than the files took to be listed: a job may have begun since. */
    private void delete(GraphFolder folder, FolderHold hold, List<String> files) throws IOException, Refusal {
        long everyNanos = TimeUnit.MILLISECONDS.toNanos(hold.leaseMillis()) / RENEWALS;
        long keptNanos = clock.getAsLong() - everyNanos;
        for (String each : files) {
            if (clock.getAsLong() - keptNanos >= everyNanos) {
                keep(folder, hold, REMOVES_BY_ITSELF);
                keptNanos = clock.getAsLong();
            }
            folder.state().delete(List.of(each));
        }
    }

    private static void pause() throws IOException {
        try {
            TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while the lease of a run was watched", e);
        }
    }

    private List<String> unneeded(StateFolder folder) throws IOException {
        long now = wall.getAsLong();
        FolderFacts facts = folder.facts();
        return Retention.deletable(facts, folder.paths(), folder.files(), new Retention.Who(facts.greatestAttempt(),
                folder.pinned(now), now));
    }

    private static void told(GraphFolder folder, ObjectNode graph, List<String> files) throws IOException {
        long bytes = 0;
        for (String each : files) {
            try {
                bytes += folder.store().length(each);
            } catch (FileNotFoundException gone) {
                continue;
            }
        }
        files.forEach(graph.put("graph", folder.graph()).put("bytes", bytes).putArray("files")::add);
    }
}
