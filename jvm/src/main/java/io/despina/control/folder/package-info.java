/** State folders as they lie: what the command {@code despina state} shows, verifies, exports and removes. No job is needed. */
package io.despina.control.folder;
