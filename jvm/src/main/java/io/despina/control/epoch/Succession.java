package io.despina.control.epoch;

import io.despina.snapshot.Manifest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * What becomes of the states of one operator when a graph goes on from an epoch or a savepoint: the dry run. Reads manifests
 * only.
 *
 * @param operator id, as the epoch has it; of a new operator as the graph has it
 * @param fate     what becomes of its states
 * @param words    the same as a sentence, with the reason
 */
public record Succession(String operator, Fate fate, String words) {
    /** In the manifest: what a sink has prepared and not committed. */
    private static final String EPOCHS = "sink_epochs";
    /** There too: what begins the name of each file that a sink has not shown. */
    private static final String FILE = "pending ";
    /** What an operator without states of its own keeps. */
    private static final Set<String> OF_EVERY = Set.of("reached", "stage_counters");

    /** What a graph goes on from. */
    public enum Base {
        /** Of it everything has left the job. */
        SAVEPOINT,
        /** An epoch that all sinks have committed. Files may go on behind it. */
        COMMITTED,
        /** An epoch that some sinks may not have committed. */
        COMMITTING
    }

    /** What becomes of an operator's states. */
    public enum Fate { KEPT, RENAMED, NEW, DROPPED, REFUSED }

    /** The reason if it is refused, else null. */
    public String refusal() {
        return fate == Fate.REFUSED ? words : null;
    }

    /** The operators of the epoch and of the graph. */
    public static List<Succession> of(Manifest manifest, Base base, PlanFacts plan, RestoreWish.Changes changes) {
        List<Succession> all = new ArrayList<>();
        if (!manifest.origin().graph().equals(plan.graph())) {
            all.add(refused("", "it is of graph `" + manifest.origin().graph() + "`, and this one is `" + plan.graph() + "`"));
        }
        if (manifest.origin().buckets() != plan.buckets()) {
            all.add(refused("", "buckets were " + manifest.origin().buckets() + ", in the graph they are " + plan.buckets()
                    + ": keys would be elsewhere"));
        }
        Set<String> inherited = new TreeSet<>();
        Map<String, String> heirs = heirs(manifest, base, plan, changes, all);
        manifest.operators().forEach((id, was) -> {
            String heir = heirs.getOrDefault(id, id);
            PlanFacts.OperatorFacts now = plan.operators().get(heir);
            if (changes.dropped().contains(id) || now == null) {
                all.add(dropped(id, was, base, changes.dropped().contains(id)));
            } else {
                inherited.add(heir);
                String held = id.equals(heir) ? null : held(id, was, base, "rename");
                all.add(held != null ? refused(id, held) : inherits(id, was, heir, now));
            }
        });
        for (String id : new TreeMap<>(plan.operators()).keySet()) {
            if (!inherited.contains(id)) {
                all.add(new Succession(id, Fate.NEW, "operator `" + id + "` is new: it starts empty"));
            }
        }
        return all;
    }

    /** By old id: the new one. Adds a refusal for each change that cannot be meant. */
    private static Map<String, String> heirs(Manifest manifest, Base base, PlanFacts plan, RestoreWish.Changes changes,
            List<Succession> all) {
        Map<String, String> heirs = new HashMap<>();
        Map<String, String> taken = new HashMap<>();
        new TreeMap<>(changes.renamed()).forEach((from, to) -> {
            if (!manifest.operators().containsKey(from)) {
                all.add(refused(from, "`" + from + "` cannot be renamed: the epoch has " + manifest.operators().keySet()));
            } else if (!plan.operators().containsKey(to)) {
                all.add(refused(from, "`" + from + "` cannot be renamed to `" + to + "`: the graph has no such operator"));
            } else if (taken.put(to, from) != null || manifest.operators().containsKey(to)
                    && !changes.renamed().containsKey(to) && !changes.dropped().contains(to)) {
                all.add(refused(from, "`" + from + "` cannot be renamed to `" + to + "`: that has a state of its own"));
            } else if (base != Base.SAVEPOINT && changes.renamed().containsKey(to)) {
                // the logs of operators are renamed one by one, where they lie
                all.add(refused(from, "`" + from + "` and `" + to + "` cannot both be renamed here: go on from a savepoint"));
            } else {
                heirs.put(from, to);
            }
        });
        for (String id : new TreeSet<>(changes.dropped())) {
            if (!manifest.operators().containsKey(id)) {
                all.add(refused(id, "`" + id + "` cannot be dropped: the epoch has " + manifest.operators().keySet()));
            }
        }
        return heirs;
    }

    private static Succession refused(String id, String words) {
        return new Succession(id, Fate.REFUSED, words);
    }

    /** Why nobody else may have what the sink has not shown; null if there is no reason. */
    private static String held(String id, Manifest.Operator was, Base base, String change) {
        String prepared = base == Base.COMMITTING ? prepared(was) : "";
        if (!prepared.isEmpty()) {
            return "sink `" + id + "` has prepared epochs that nobody would commit: " + prepared
                    + "; start the old graph once more first";
        }
        boolean goesOn = base != Base.SAVEPOINT && was.instances().stream().flatMap(each -> each.texts().values().stream())
                .flatMap(each -> each.keySet().stream()).anyMatch(name -> name.startsWith(FILE));
        return goesOn ? "sink `" + id + "` may have a file that nobody would end: " + change
                + " it where you go on from a savepoint, which has none" : null;
    }

    private static Succession dropped(String id, Manifest.Operator was, Base base, boolean wanted) {
        String held = held(id, was, base, "drop");
        if (held != null) {
            return refused(id, held);
        }
        boolean stateless = !was.states().isEmpty()
                && was.states().stream().map(Manifest.StateType::name).allMatch(OF_EVERY::contains);
        if (!wanted && !stateless) {
            return refused(id, "operator `" + id + "` is not in the graph: its state is lost if you say --drop " + id
                    + ", or say --rename " + id + "=NEW");
        }
        return new Succession(id, Fate.DROPPED, "operator `" + id + "` is dropped" + (stateless ? ": it keeps nothing" : ""));
    }

    private static String prepared(Manifest.Operator was) {
        TreeSet<String> epochs = new TreeSet<>();
        for (Manifest.Instance each : was.instances()) {
            String prepared = each.texts().getOrDefault(EPOCHS, Map.of()).getOrDefault("prepared", "").strip();
            if (!prepared.isEmpty()) {
                epochs.add(prepared);
            }
        }
        return String.join("; ", epochs);
    }

    /** What nobody would read any more; null if there is nothing. */
    private static Manifest.StateType lost(Manifest.Operator was, PlanFacts.OperatorFacts now) {
        Set<String> kept = now.states().stream().map(Manifest.StateType::name).collect(Collectors.toSet());
        return was.states().stream().filter(each -> !kept.contains(each.name()) && !OF_EVERY.contains(each.name())).findFirst()
                .orElse(null);
    }

    private static Succession inherits(String id, Manifest.Operator was, String heir, PlanFacts.OperatorFacts now) {
        String name = id.equals(heir) ? "operator `" + id + "`" : "operator `" + id + "`, now `" + heir + "`,";
        if (!was.type().equals(now.type())) {
            return refused(id, name + " was of type " + was.type() + ", in the graph it is of type " + now.type()
                    + "; without its state: --drop " + id);
        }
        Map<String, Manifest.StateType> old = new HashMap<>();
        was.states().forEach(each -> old.put(each.name(), each));
        for (Manifest.StateType each : now.states()) {
            Manifest.StateType before = old.get(each.name());
            if (!old.isEmpty() && !each.isLike(before)) {
                return refused(id, name + " kept " + (before == null ? "no state `" + each.name() + "`"
                        : "`" + before.schema() + "` as `" + each.name() + "`") + ", in the graph it keeps `" + each.schema()
                        + "`; without its state: --drop " + id);
            }
        }
        Manifest.StateType lost = now.states().isEmpty() ? null : lost(was, now);
        if (lost != null) {
            return refused(id, name + " kept `" + lost.schema() + "` as `" + lost.name()
                    + "`, in the graph it keeps no such state; without its state: --drop " + id);
        }
        String elsewhere = OutsidePlaces.refusal(id, was, now);
        if (elsewhere != null) {
            return refused(id, name + " " + elsewhere);
        }
        int instances = was.instances().size();
        String dealt = instances == now.parallelism() ? "" : ", dealt out from " + instances + " to " + now.parallelism()
                + " instances";
        return id.equals(heir) ? new Succession(id, Fate.KEPT, name + " is kept" + dealt)
                : new Succession(id, Fate.RENAMED, "operator `" + id + "` goes on as `" + heir + "`" + dealt);
    }
}
