package io.despina.control.epoch;

import io.despina.snapshot.Claim;
import io.despina.snapshot.EpochFacts;
import io.despina.snapshot.EpochFacts.Standing;
import io.despina.snapshot.FolderFacts;
import io.despina.snapshot.Holder;
import io.despina.snapshot.Manifest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * Decides from where an attempt of a job starts: a function of what lies in its state folder and of what the user wants, without
 * side effects. It is asked twice: before the attempt is claimed, and again when no earlier attempt can complete epochs any more.
 */
public final class RestoreDecision {
    private static final String TWICE = "rows that sinks have shown since come again";

    private final FolderFacts folder;
    private final RestoreWish wish;
    private final PlanFacts plan;
    private final List<String> told = new ArrayList<>();

    private RestoreDecision(FolderFacts folder, RestoreWish wish, PlanFacts plan) {
        this.folder = folder;
        this.wish = wish;
        this.plan = plan;
    }

    /** Decides. */
    public static Restore of(FolderFacts folder, RestoreWish wish, PlanFacts plan, Asking by) {
        RestoreDecision decision = new RestoreDecision(folder, wish, plan);
        Restore inUse = decision.inUse(by);
        return inUse != null ? inUse : decision.decide(by.nowMillis);
    }

    /**
     * Who asks, and when.
     *
     * @param coordinator id of its process
     * @param nowMillis   since 1970-01-01T00:00Z, by its clock
     * @param holder      who uses the folder, or null
     */
    public record Asking(String coordinator, long nowMillis, Holder holder) {
    }

    private Restore inUse(Asking by) {
        Holder holder = by.holder;
        if (holder == null || holder.coordinator().equals(by.coordinator)) {
            return null;
        }
        if (holder.isAlive()) {
            return new Restore.InUse("graph `" + plan.graph() + "` is run by " + holder.words()
                    + ", which uses the same state folder", holder.againMillis());
        }
        told.add(holder.words() + " has not renewed its lease: it is fenced off");
        return null;
    }

    private Restore decide(long nowMillis) {
        if (!wish.resume() && folder.epochs().stream().anyMatch(each -> each.standing() != Standing.WRITTEN)) {
            return new Restore.Refused("the state folder has epochs of graph `" + plan.graph() + "`, the last one is "
                    + folder.greatestEpoch(), "go on from there with --resume, or give another state folder");
        }
        if (wish.savepoint() != null) {
            return fromSavepoint();
        }
        return wish.epoch() > 0 ? from(wish.epoch(), nowMillis) : newest(nowMillis);
    }

    private Restore fromSavepoint() {
        folder.epochs().stream().filter(each -> each.standing().isWhole()).reduce((first, last) -> last).ifPresent(last ->
                told.add("epochs up to " + last.epoch() + " of the state folder are given up for savepoint " + wish.savepoint()));
        Restore refused = refused(wish.kept(), Succession.Base.SAVEPOINT, "savepoint " + wish.savepoint());
        return refused != null ? refused : new Restore.FromSavepoint(wish.savepoint(), told);
    }

    /** From an epoch that the user has named. */
    private Restore from(long epoch, long nowMillis) {
        EpochFacts facts = folder.epochs().stream().filter(each -> each.epoch() == epoch).findFirst().orElse(null);
        if (facts == null || !facts.standing().isWhole()) {
            String whole = folder.epochs().stream().filter(each -> each.standing().isWhole())
                    .map(each -> Long.toString(each.epoch())).collect(Collectors.joining(", "));
            return new Restore.Refused("epoch " + epoch + " is not in the state folder"
                    + (facts == null || facts.problem() == null ? "" : ": " + facts.problem()),
                    whole.isEmpty() ? "it has none to go on from" : "it has " + whole);
        }
        folder.epochs().stream().filter(each -> each.epoch() > epoch && each.standing().isWhole())
                .reduce((first, last) -> last).ifPresent(last -> told.add("epochs " + (epoch + 1) + " to " + last.epoch()
                        + " are given up: rows that sinks have shown since may come again"));
        return goOn(facts, nowMillis);
    }

    private Restore newest(long nowMillis) {
        List<EpochFacts> lost = new ArrayList<>();
        for (int k = folder.epochs().size() - 1; k >= 0; k--) {
            EpochFacts each = folder.epochs().get(k);
            if (each.standing() == Standing.LATER) {
                return new Restore.Refused(each.problem(), "run it with the engine that wrote it, or a later one");
            }
            if (each.standing().isWhole()) {
                return goOn(each, nowMillis);
            }
            if (each.standing() == Standing.HALF || each.standing() == Standing.ROTTEN) {
                Restore refused = lose(each, wholeBefore(k));
                if (refused != null) {
                    return refused;
                }
                lost.add(each);
            }
        }
        return none(lost);
    }

    /** The newest epoch before that one from which a job can go on; null for none. */
    private Manifest wholeBefore(int index) {
        return folder.epochs().subList(0, index).stream().filter(each -> each.standing().isWhole())
                .map(EpochFacts::manifest).reduce((first, last) -> last).orElse(null);
    }

    /**
     * The epoch cannot be read. A manifest that is cut short was never kept, so no sink was told to commit. One that is damaged
     * was: an attempt that is dead may have committed it, or its commit may still be on its way to a target.
     *
     * @param before the epoch from which the job goes on then, or null
     * @return null if nobody can have seen anything of it, so that it may be lost
     */
    private Restore lose(EpochFacts epoch, Manifest before) {
        if (epoch.manifest() != null && epoch.manifest().format() >= ShownRows.FIRST_FORMAT) {
            return loseFiles(epoch, before);
        }
        if (epoch.marked()) {
            return unreadable(epoch, "sinks have committed it", before, TWICE);
        }
        if (epoch.standing() == Standing.ROTTEN && before != null) {
            return unreadable(epoch, "sinks may have committed it", before, TWICE);
        }
        told.add("epoch " + epoch.epoch() + " is lost: " + epoch.problem());
        return null;
    }

    /**
     * Its manifest is whole, and what it names is not. It was complete, so sinks were told to commit what they had prepared, and
     * programs that their rows are taken.
     */
    private Restore loseFiles(EpochFacts epoch, Manifest before) {
        List<String> sources = given(epoch.manifest(), before);
        if (!sources.isEmpty()) {
            return unreadable(epoch, "it has rows that a program gave to " + names("source", sources)
                    + " and does not give again", before, "what programs have given since is missing");
        }
        List<String> sinks = ShownRows.sinks(epoch.manifest(), before == null ? 0 : before.epoch());
        if (!sinks.isEmpty()) {
            return unreadable(epoch, names("sink", sinks) + (epoch.marked()
                    ? (sinks.size() == 1 ? " has" : " have") + " committed it" : " may have committed it"), before, TWICE);
        }
        told.add("epoch " + epoch.epoch() + " is lost, of which no sink had shown a row: " + epoch.problem());
        return null;
    }

    /** The sources with rows of programs in an epoch that the epoch before does not have: programs do not give them again. */
    private static List<String> given(Manifest manifest, Manifest before) {
        Map<String, Map<String, Long>> earlier = before == null ? Map.of() : before.origin().given();
        return manifest.origin().given().entrySet().stream()
                .filter(each -> !each.getValue().equals(earlier.get(each.getKey()))).map(Map.Entry::getKey).sorted().toList();
    }

    private static String names(String what, List<String> ids) {
        return what + (ids.size() == 1 ? " " : "s ")
                + ids.stream().map(each -> "`" + each + "`").collect(Collectors.joining(", "));
    }

    /** @param cost of going on from the epoch before all the same */
    private Restore unreadable(EpochFacts epoch, String who, Manifest before, String cost) {
        String words = "epoch " + epoch.epoch() + " cannot be read, and " + who + ": " + epoch.problem();
        if (wish.isPart()) {
            return new Restore.Refused(words, "restore the file from a copy, or begin anew, with --from-start: Spark runs a part "
                    + "of the graph, and its queries do not go back to an earlier epoch");
        }
        String back = before == null ? "a savepoint with --from" : "epoch " + before.epoch() + " with --from " + before.epoch()
                + ", or a savepoint";
        return new Restore.Refused(words, "restore the file from a copy, or go on from " + back
                + ", and " + cost);
    }

    private Restore none(List<EpochFacts> lost) {
        Claim last = folder.claims().stream().filter(each -> each.start() != null).reduce((first, second) -> second).orElse(null);
        boolean rotten = lost.stream().anyMatch(each -> each.standing() == Standing.ROTTEN);
        if (rotten || last != null && last.start().epoch() > 0) {
            String found = lost.isEmpty() ? "attempt " + last.attempt() + " started from epoch " + last.start().epoch()
                    + ", which is not there" : lost.stream().map(each -> "epoch " + each.epoch() + ": " + each.problem())
                    .collect(Collectors.joining("; "));
            return new Restore.Refused("no epoch in the state folder of graph `" + plan.graph() + "` can be read: " + found,
                    wish.isPart() ? "restore the files from a copy, or begin anew, with --from-start"
                    : "restore the files from a copy, go on from a savepoint with --from, or give another state folder to "
                    + "begin anew");
        }
        return new Restore.Fresh(told);
    }

    private Restore goOn(EpochFacts epoch, long nowMillis) {
        Manifest manifest = epoch.manifest();
        Restore refused = refused(manifest, epoch.standing() == Standing.COMMITTED ? Succession.Base.COMMITTED
                : Succession.Base.COMMITTING, "epoch " + epoch.epoch());
        if (refused != null) {
            return refused;
        }
        if (manifest.takenAtMillis() > nowMillis) {
            told.add("epoch " + epoch.epoch() + " was completed " + (manifest.takenAtMillis() - nowMillis) / 1_000
                    + " s in the future by this machine's clock: one of the clocks was set");
        }
        return new Restore.GoOn(manifest, epoch.standing() == Standing.COMMITTING, told);
    }

    /** @return why the graph cannot go on from a manifest, or null */
    private Restore refused(Manifest manifest, Succession.Base base, String name) {
        List<Succession> all = Succession.of(manifest, base, plan, wish.changes());
        String why = all.stream().map(Succession::refusal).filter(Objects::nonNull).collect(Collectors.joining("; "));
        all.stream().filter(each -> each.fate() == Succession.Fate.DROPPED || each.fate() == Succession.Fate.RENAMED
                || each.fate() == Succession.Fate.NEW).map(Succession::words).forEach(told::add);
        return why.isEmpty() ? null : new Restore.Refused("the graph does not fit " + name + ": " + why,
                "`despina check GRAPH --from DIR` shows what becomes of each operator");
    }
}
