package io.despina.control.coordinator;

import io.despina.control.epoch.Retention;
import io.despina.control.protocol.Message;
import io.despina.control.protocol.Refusal;
import io.despina.control.protocol.Spooling;
import io.despina.control.protocol.StatePlace;
import io.despina.link.Attempt;
import io.despina.snapshot.CommitPermit;
import io.despina.snapshot.Manifest;
import io.despina.snapshot.ManifestDraft;
import io.despina.snapshot.MemoryStore;
import io.despina.snapshot.StateFolder;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;

/** The epochs of one attempt, in its state folder. Calls may wait for a disk. */
final class KeptEpochs {

    /**
     * How an attempt begins.
     *
     * @param everyMillis from epoch to epoch; 0 for a job that keeps no state
     * @param place       null for such a job
     * @param replay      of the epoch from which it goes on, if that may not be committed everywhere; or null
     * @param greatest    the greatest number of an epoch that was ever used
     * @param changed     before
     * @param hold        of the folder until the attempt has ended; or null
     * @param told        what the user should hear
     */
    record Begin(int attempt, long everyMillis, StatePlace place, CommitPermit replay, long greatest,
            Changed changed, HeldFolder hold, List<String> told) {
    }

    /**
     * What has changed since the job was submitted.
     *
     * @param schedules of sources, by operator
     * @param given     by source and program, the last of its epochs that the job has
     * @param buckets   by operator, as {@link Manifest.Operator} has it, where they are not as at the start with all instances
     */
    record Changed(Map<String, String> schedules, Map<String, Map<String, Long>> given, Map<String, String> buckets) {
        static final Changed NOTHING = new Changed(Map.of(), Map.of(), Map.of());

        /** Since the first start of a job that goes on from there. */
        static Changed of(Manifest manifest) {
            Map<String, String> buckets = new TreeMap<>();
            manifest.operators().forEach((id, operator) -> {
                if (operator.buckets() != null) {
                    buckets.put(id, operator.buckets());
                }
            });
            return new Changed(manifest.origin().schedules(), manifest.origin().given(), buckets);
        }
    }

    private final StateFolder folder;
    private final Begin begin;
    private final Manifest.Origin origin;
    private final Map<String, String> types;
    /** Null if the attempt begins here. Written once, before it is deployed. */
    private TakenOver taken;

    /** @param types by operator id */
    KeptEpochs(StateFolder folder, Begin begin, Manifest.Origin origin, Map<String, String> types) {
        this.folder = folder;
        this.begin = begin;
        this.origin = origin;
        this.types = types;
    }

    /** Of a job that keeps no state: its only epoch is the last. */
    static KeptEpochs inMemory(Attempt attempt) {
        return new KeptEpochs(StateFolder.at(new MemoryStore(), attempt.job()),
                new Begin(attempt.number(), 0, null, null, 0, Changed.NOTHING, null, List.of()),
                new Manifest.Origin(Message.Hello.VERSION, attempt.job(), "", "", 1, 0, Map.of(), Map.of()), Map.of());
    }

    Begin begin() {
        return begin;
    }

    /** The same, of an attempt that goes on, and was begun elsewhere. */
    KeptEpochs takenOver(Attempt attempt) {
        taken = new TakenOver(attempt, origin.planDigest(), begin.place.from());
        return this;
    }

    /** Null if the attempt begins here. */
    TakenOver taken() {
        return taken;
    }

    /**
     * With the id of the folder, which no attempt changes, as the name of rows that programs read. Where they are in no log,
     * each attempt numbers its own. Reads the id there.
     */
    Submission naming(Submission submission) throws Refusal {
        Spooling spooling = submission.options().spooling();
        if (spooling == null) {
            return submission;
        }
        try {
            String own = submission.options().recovery().isLogged() ? "" : "." + begin.attempt;
            return submission.with(spooling.named(folder.id() + own));
        } catch (IOException e) {
            release();
            throw new Refusal("state", "the id of the state folder cannot be read: " + e.getMessage(), null);
        }
    }

    /** By source and program, the last of its epochs that is in the epoch from which the attempt begins. */
    Map<String, Map<String, Long>> given() {
        return origin.given();
    }

    StateFolder folder() {
        return folder;
    }

    /** Whether the attempt goes on from an epoch. */
    boolean goesOn() {
        return begin.place != null && begin.place.from() > 0;
    }

    /** Whether the job outlives this process. */
    boolean areKept() {
        return begin.place != null;
    }

    /**
     * Writes the manifest of an epoch.
     *
     * @param parts of all resources
     * @throws io.despina.snapshot.FencedException if a later attempt was claimed: this one must end
     */
    CommitPermit complete(long epoch, Collection<Message.Frozen> parts, Changed changed, LongSupplier wall)
            throws IOException {
        Manifest.Origin now = new Manifest.Origin(origin.engine(), origin.graph(), origin.graphDigest(), origin.planDigest(),
                origin.buckets(), origin.nowMicros(), changed.schedules, changed.given);
        ManifestDraft draft = new ManifestDraft(now, begin.attempt, epoch, changed.buckets);
        parts.stream().filter(part -> part.written() != null).forEach(part -> draft.add(part.written()));
        parts.stream().flatMap(part -> part.instances().stream()).forEach(each -> draft.add(each.operator(), each.instance(),
                new ManifestDraft.InstanceFacts(each.ended(), each.watermark(), each.counters(), List.of())));
        return folder.complete(draft.whole(types, wall.getAsLong()));
    }

    /** Whether nothing can follow the epoch: every task had passed the end of its input. */
    static boolean isLast(Manifest manifest) {
        return manifest.operators().values().stream().flatMap(each -> each.instances().stream())
                .allMatch(Manifest.Instance::ended);
    }

    /** All sinks have committed it. */
    void committed(CommitPermit permit) throws IOException {
        folder.committed(permit);
    }

    /** Deletes what nobody needs any more: all but the last three epochs, and what no epoch names. */
    void collect(LongSupplier wall) throws IOException {
        Retention.Who who = new Retention.Who(begin.attempt, folder.pinned(wall.getAsLong()), wall.getAsLong());
        folder.delete(Retention.deletable(folder.facts(), folder.paths(), folder.files(), who));
    }

    /** The job has ended. @return completes when another may have the folder */
    CompletableFuture<Void> release() {
        return begin.hold == null ? CompletableFuture.completedFuture(null) : begin.hold.release();
    }
}
