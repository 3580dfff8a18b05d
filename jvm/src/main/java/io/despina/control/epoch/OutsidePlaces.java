package io.despina.control.epoch;

import io.despina.plan.Overlap;
import io.despina.snapshot.Manifest;
import java.util.Map;
import java.util.Objects;

/**
 * What a place outside of the job means is known there alone: how far a file is read, which rows wait for somebody. So neither
 * may change under it. The operators themselves refuse the same when they are restored; here it is known before anything runs.
 */
final class OutsidePlaces {
    /** State and text of a source of files: the path in which they were. */
    private static final String PLACE = "place";
    private static final String PATH = "path";
    /** States of sinks whose rows wait in logs, and the text that has their columns. */
    private static final String SERVED = "served";
    private static final String OUTBOX = "outbox";
    private static final String SCHEMA = "schema";

    private OutsidePlaces() {
    }

    /** Why the operator cannot go on from its place, as words that follow its name; null if it can. */
    static String refusal(String id, Manifest.Operator was, PlanFacts.OperatorFacts now) {
        PlanFacts.Outside outside = now.outside();
        int instances = was.instances().size();
        String read = text(was, PLACE, PATH);
        if (read != null && outside.path() != null && !Overlap.nested(read, outside.path())) {
            return "had read " + read + ", in the graph it reads " + outside.path() + ": if these are the same files, let " + read
                    + " be a link to them and write that path; if they are others, without its place: --drop " + id;
        }
        if (!outside.rescales() && instances != now.parallelism()) {
            return "cannot go on from the places of " + instances + " instances with " + now.parallelism()
                    + "; without its place: --drop " + id;
        }
        if (text(was, SERVED, SCHEMA) != null && instances != now.parallelism()) {
            return "has rows that a program reads, by their numbers in " + instances + " instances; with " + now.parallelism()
                    + " these mean nothing: leave its parallelism as it was";
        }
        if (text(was, OUTBOX, SCHEMA) != null && instances > now.parallelism()) {
            return "has rows that wait in " + instances + " outboxes, and " + now.parallelism()
                    + " instances: leave its parallelism as it was, or make it more";
        }
        String columns = text(was, text(was, SERVED, SCHEMA) != null ? SERVED : OUTBOX, SCHEMA);
        return columns == null || outside.columns() == null || columns.equals(outside.columns()) ? null
                : "has rows that wait, with the columns " + columns + ", in the graph they are " + outside.columns();
    }

    private static String text(Manifest.Operator was, String state, String name) {
        return was.instances().stream().map(each -> each.texts().getOrDefault(state, Map.of()).get(name))
                .filter(Objects::nonNull).findFirst().orElse(null);
    }
}
