package io.despina.operator.user;

import io.despina.api.RowSink;
import io.despina.operator.OperatorContext;
import io.despina.operator.Sink;
import io.despina.packet.MalformedPacketException;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.state.NamedEntries;
import io.despina.state.State;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Runs a {@link RowSink}. One that does something of its own when an epoch is prepared or committed has a thread of its own. */
public final class UserSink implements Sink {

    /** A call of the user's class. */
    private interface Call {
        void run() throws Exception;
    }

    private final UserClass name;
    private final Map<String, String> options;
    private final RowSink user;
    private final NamedEntries place;
    private OperatorContext context;
    private UserRow row;

    /**
     * Makes an object of the class.
     *
     * @param options as the graph writes them
     */
    public UserSink(UserClass name, Map<String, String> options) {
        this.name = name;
        this.options = options;
        user = name.create(RowSink.class);
        place = new NamedEntries("place", user::position);
    }

    @Override
    public String userClass() {
        return name.name();
    }

    @Override
    public void open(OperatorContext opened) {
        context = opened;
        UserColumns columns = new UserColumns(opened.input(0));
        row = new UserRow(columns);
        try {
            user.open(new UserContext(opened, options, new UserContext.Ports(columns, null), null));
        } catch (Exception | LinkageError thrown) {
            throw name.notOpened(thrown);
        }
    }

    @Override
    public boolean blocks() {
        return UserClass.overrides(user, RowSink.class, "prepare", long.class)
                || UserClass.overrides(user, RowSink.class, "commit", long.class)
                || UserClass.overrides(user, RowSink.class, "abort");
    }

    private void call(Call call) {
        try {
            call.run();
        } catch (Exception | LinkageError thrown) {
            throw name.failed(thrown);
        }
    }

    @Override
    public void process(int port, PacketCursor packets) throws Exception {
        Packet packet;
        while (context.hasRoom() && (packet = packets.next()) != null) {
            try {
                user.write(row.on(packet));
            } catch (InterruptedException | MalformedPacketException ended) {
                throw ended;
            } catch (Exception thrown) {
                context.badRecord(name.failed(thrown), packet);
            }
        }
    }

    @Override
    public boolean commits() {
        return true;
    }

    @Override
    public CompletableFuture<Void> prepare(long epoch) {
        call(() -> user.prepare(epoch));
        return DONE;
    }

    @Override
    public CompletableFuture<Void> commit(long epoch) {
        call(() -> user.commit(epoch));
        return DONE;
    }

    @Override
    public void abort() {
        call(user::abort);
    }

    @Override
    public List<State> states() {
        return List.of(place);
    }

    @Override
    public void restored() {
        call(() -> user.restore(place.restored().stream().filter(each -> !each.isEmpty()).toList()));
    }

    @Override
    public void close() throws IOException {
        name.close(user);
    }
}
