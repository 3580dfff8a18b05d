package io.despina.control.members;

import io.despina.control.protocol.SurveyMessage;
import io.despina.placement.Park;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * What the machines of resources can do, and what is between them. One resource of each host measures, so that none holds up
 * another; and ways are measured one after the other.
 */
final class MachineSurveys {
    private static final double BYTES_PER_S = 1e6 / Byte.SIZE;

    private final Map<String, List<RemoteMember>> hosts = new LinkedHashMap<>();
    private final Map<String, Park.Found> machines = new LinkedHashMap<>();
    private final List<Park.FoundWay> ways = new ArrayList<>();

    /** @param members that have joined */
    MachineSurveys(Collection<RemoteMember> members) {
        members.forEach(each -> hosts.computeIfAbsent(each.dataHost(), host -> new ArrayList<>()).add(each));
    }

    CompletableFuture<Park.Measured> ask() {
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (List<RemoteMember> alike : hosts.values()) {
            all.add(first(alike).survey().thenAccept(said -> add(alike, said)));
        }
        CompletableFuture<Void> last = CompletableFuture.allOf(all.toArray(CompletableFuture[]::new));
        List<List<RemoteMember>> places = List.copyOf(hosts.values());
        for (int from = 0; from < places.size(); from++) {
            for (int to = from + 1; to < places.size(); to++) {
                List<RemoteMember> here = places.get(from);
                List<RemoteMember> there = places.get(to);
                last = last.thenCompose(any -> first(here).reach(first(there))).thenAccept(said -> add(here, there, said));
            }
        }
        return last.thenApply(any -> new Park.Measured(machines, ways));
    }

    /** Who measures: one that may use all of the machine, if there is one. */
    private static RemoteMember first(List<RemoteMember> alike) {
        return alike.stream().filter(each -> !each.isBound()).findFirst().orElse(alike.get(0));
    }

    /** Those that have no processors of their own share what the machine has. */
    private synchronized void add(List<RemoteMember> alike, SurveyMessage.Surveyed said) {
        long sharing = alike.stream().filter(each -> !each.isBound()).count();
        alike.forEach(each -> machines.put(each.name(), new Park.Found(each.isBound() ? each.cores()
                : (double) said.cpus() / sharing, said.loops())));
    }

    private synchronized void add(List<RemoteMember> here, List<RemoteMember> there, SurveyMessage.Reached said) {
        if (said.why() != null) {
            System.err.println("despina: warning: nobody knows what is between " + first(here).name() + " and " + said.peer()
                    + ": " + said.why());
            return;
        }
        here.forEach(from -> there.forEach(to -> ways.add(new Park.FoundWay(from.name(), to.name(),
                new Park.Way(said.mbitPerS() * BYTES_PER_S, said.roundTripMillis())))));
    }
}
