package io.despina.control.resource;

import io.despina.control.protocol.ControlMessage;
import io.despina.control.protocol.Message;
import io.despina.link.Attempt;
import io.despina.runtime.task.HandOvers;
import io.despina.state.WrittenPart;

/** What operators of a job here and in other resources hand over to each other, as messages. */
final class HandedOver {
    private final Attempt attempt;
    private final HandOvers here;
    private final ToCoordinator coordinator;

    HandedOver(Attempt attempt, HandOvers here, ToCoordinator coordinator) {
        this.attempt = attempt;
        this.here = here;
        this.coordinator = coordinator;
        here.fetchBy(fetch -> coordinator.tell(new ControlMessage.HandOver(attempt, fetch.way().operator(), fetch.way().from(),
                fetch.way().to(), fetch.slice())));
    }

    /** @return whether it is about that */
    boolean received(Message message) {
        if (message instanceof ControlMessage.HandOver asked) {
            here.fetch(new HandOvers.Fetch(new HandOvers.Way(asked.operator(), asked.from(), asked.to()), asked.slice()),
                    this::answer);
        } else if (message instanceof ControlMessage.HandedOver slice) {
            here.fetched(new HandOvers.Fetched(new HandOvers.Way(slice.operator(), slice.from(), slice.to()), slice.slice(),
                    new WrittenPart.Slice(slice.state(), slice.bytes()), slice.of()));
        } else {
            return false;
        }
        return true;
    }

    private void answer(HandOvers.Fetched slice) {
        coordinator.tell(new ControlMessage.HandedOver(attempt, slice.way().operator(), slice.way().from(), slice.way().to(),
                slice.slice(), slice.content().state(), slice.content().bytes(), slice.of()));
    }
}
