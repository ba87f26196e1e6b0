/** One scene: the pictures, the tools and the marks; or the text field for a name. */

import { useRef } from "preact/hooks";
import { keepFocus } from "../../../work/focus";
import { SkipAndReport } from "../../../work/view/skip_and_report";
import { Remark } from "../../../work/view/remark";
import { lineOf } from "../texts";
import type { Marking } from "../marking/marking";
import type { Picture } from "../picture";
import { isNaming, LONGEST_PHRASE, mayAnswer, type Task } from "../state";
import { Cut } from "./cut";
import { Aloud, Info } from "./info";
import { Legend } from "./legend";
import { Marks } from "./marks";
import { useView } from "./page";
import { focusPicture } from "./places";
import { Stage } from "./stage";
import { Takebacks, Tools } from "./tools";

export function TaskView({ task, marking }: { task: Task; marking: Marking }) {
  const { page, state } = useView();
  const picture = useRef<Picture | null>(null);
  const naming = isNaming(task.payload);
  const remark = lineOf(state);
  return (
    <div class={`voxels ${naming ? "is-naming" : ""}`} data-voxels data-assignment={task.assignment}>
      <header class="voxels-head">
        <Remark
          workStatus={state.workStatus}
          onInstructions={page.openInstructions}
          onClose={() => void page.session.closeNotice()}
        />
        {page.quiz?.ask && <p class="quiz-asks">{page.quiz.ask}</p>}
        <h1 class="phrase" dir="auto">
          {naming ? (
            "What is there in this scene?"
          ) : (
            <>
              Mark: <em data-phrase>{task.payload.phrase}</em>
            </>
          )}
        </h1>
      </header>
      <Stage
        slice={page.slice}
        isLooking={naming}
        label={naming ? "The scene" : "The scene: original and working copy"}
        run={page.run}
        onPicture={(found) => {
          picture.current = found;
        }}
      />
      <div class="dock">
        {!naming && <Tools slice={page.slice} marking={marking} run={page.run} />}
        <div class="foot">
          <div class="foot-lines">
            <Info marking={marking} />
            <p class={`foot-remark ${state.sending.is === "waiting" ? "is-waiting" : ""}`} data-remark>
              {remark}
            </p>
          </div>
          {naming ? <Naming /> : <Ways marking={marking} />}
        </div>
      </div>
      <aside class="side card" aria-label="Marks and legend">
        <div class="side-scroll">
          {!naming && (
            <Marks
              slice={page.slice}
              marking={marking}
              onLook={(cells) => picture.current?.lookAt(cells)}
              onGone={() => focusPicture()}
            />
          )}
          <Cut slice={page.slice} marking={marking} />
          <Legend marking={marking} />
        </div>
        <Leave />
      </aside>
      <Aloud marking={marking} />
    </div>
  );
}

function Ways({ marking }: { marking: Marking }) {
  const { page, state } = useView();
  return (
    <div class="ways" onMouseDown={keepFocus}>
      <Takebacks marking={marking} run={page.run} />
      <button
        type="button"
        class="btn"
        data-absent
        aria-pressed={marking.isAbsent}
        onClick={() => page.run({ do: "absent" })}
      >
        It is not there <kbd>N</kbd>
      </button>
      <Done
        isSending={state.sending.is !== "idle"}
        isOff={!mayAnswer(state)}
        onDone={() => page.run({ do: "submit" })}
      />
    </div>
  );
}

function Naming() {
  const { page, state } = useView();
  const { dispatch } = page.store;
  return (
    <form
      class="ways naming"
      onSubmit={(event) => {
        event.preventDefault();
        dispatch({ type: "done" });
      }}
    >
      <label class="naming-field">
        <span>Name one thing you can see here, and where it is</span>
        <input
          type="text"
          dir="auto"
          maxLength={LONGEST_PHRASE}
          value={state.isNothing ? "" : state.text}
          autocomplete="off"
          data-naming
          onInput={(event) => dispatch({ type: "write", text: event.currentTarget.value })}
        />
      </label>
      <button
        type="button"
        class="btn"
        data-nothing
        aria-pressed={state.isNothing}
        onClick={() => dispatch({ type: "nothing" })}
      >
        There is nothing here
      </button>
      <Done isSending={state.sending.is !== "idle"} isOff={!mayAnswer(state)} />
    </form>
  );
}

/** The button that submits; without `onDone` it submits the form that it stands in. */
function Done({ isSending, isOff, onDone }: { isSending: boolean; isOff: boolean; onDone?: () => void }) {
  return (
    <button
      type={onDone ? "button" : "submit"}
      class="btn btn-primary btn-done"
      data-done
      aria-disabled={isOff}
      {...(onDone ? { onClick: onDone } : {})}
    >
      {isSending ? (
        "Sending …"
      ) : (
        <>
          Done <kbd>{onDone ? "Ctrl ⏎" : "⏎"}</kbd>
        </>
      )}
    </button>
  );
}

/** Skip and report are small, because most workers never need them. */
function Leave() {
  const { page, state } = useView();
  const isOff = !mayAnswer(state);
  if (page.quiz) {
    return page.quiz.back ? (
      <p class="leave">
        <a href={page.quiz.back}>{page.quiz.backTo}</a>
      </p>
    ) : null;
  }
  return (
    <p class="leave">
      <SkipAndReport isOff={isOff} again={state.again} session={page.session} store={page.store} />
    </p>
  );
}
