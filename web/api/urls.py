"""The addresses below `/api/v1/`."""

from csp.constants import NONCE, SELF
from csp.decorators import csp_replace
from django.urls import path, re_path
from django.utils.decorators import method_decorator
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView

from web.api import (
    agents,
    approvals,
    commands,
    episodes,
    exports,
    forms,
    generated_scenes,
    masks,
    parse,
    privacy,
    projects,
    qualifications,
    reports,
    routes,
    scenes,
    sessions,
    suites,
    tasks,
    trees,
    uploads,
    work,
    workers,
)
from web.http.problems import no_such_address


# Swagger UI uses inline styles and plain scripts, so this page alone gets a wider content security policy.
@method_decorator(
    csp_replace({"style-src": [SELF, "'unsafe-inline'"], "script-src": [SELF, NONCE], "connect-src": [SELF]}),
    name="dispatch",
)
class ApiDocs(SpectacularSwaggerSplitView):
    """The documentation page: Swagger UI with files from this server."""

    authentication_classes = []
    permission_classes = []
    url_name = "schema"


urlpatterns = [
    path("schema/", SpectacularAPIView.as_view(authentication_classes=[], permission_classes=[]), name="schema"),
    path("docs/", ApiDocs.as_view(), name="api-docs"),
    path("agents/", agents.Agents.as_view()),
    path("agents/<name:slug>/", agents.OneAgent.as_view()),
    path("agents/<name:slug>/metrics/", agents.AgentMetrics.as_view()),
    path("suites/", suites.Suites.as_view()),
    path("suites/<name:slug>/", suites.OneSuite.as_view()),
    path("suites/<name:slug>/scenarios/", suites.Scenarios.as_view()),
    path("suites/<name:slug>/scenarios/<external:key>/", suites.OneScenario.as_view()),
    path("suites/<name:slug>/versions/<name:version>/", suites.OneVersion.as_view()),
    path("suites/<name:slug>/ranking/", suites.SuiteRanking.as_view()),
    path("episodes/", episodes.Episodes.as_view()),
    path("episodes/<external:external_id>/", episodes.OneEpisode.as_view()),
    path("episodes/<external:external_id>/trajectory", episodes.Trajectory.as_view()),
    path("uploads/", uploads.Uploads.as_view()),
    path("uploads/<opaque:upload>/parts/<int:number>/", uploads.Part.as_view(), name="upload-part"),
    path("uploads/<opaque:upload>/complete/", uploads.Complete.as_view()),
    path("projects/", projects.Projects.as_view()),
    path("projects/<name:slug>/", projects.OneProject.as_view()),
    path("projects/<name:slug>/tasks/", tasks.ProjectTasks.as_view()),
    path("projects/<name:slug>/links/", tasks.ProjectLinks.as_view()),
    path("projects/<name:slug>/approvals/", approvals.ProjectApprovals.as_view()),
    path("projects/<name:slug>/annotations.jsonl", exports.ProjectAnnotations.as_view()),
    path("projects/<name:slug>/consensus.jsonl", exports.ProjectConsensus.as_view()),
    path("projects/<name:slug>/findings.jsonl", exports.ProjectFindings.as_view()),
    path("projects/<name:slug>/forms.jsonl", forms.ProjectForms.as_view()),
    path("projects/<name:slug>/forms/", forms.ImportForms.as_view()),
    path("projects/<name:slug>/masks.jsonl", masks.ProjectMasks.as_view()),
    path("projects/<name:slug>/masks.npz", masks.ProjectMaskArrays.as_view()),
    path("projects/<name:slug>/scene_list.json", masks.ProjectSceneList.as_view()),
    path("projects/<name:slug>/masks/import/", masks.ImportMasks.as_view()),
    path("scenes/", scenes.Scenes.as_view()),
    path("scenes/<opaque:digest>/", scenes.OneScene.as_view()),
    path("workers/<name:platform>/<external:external_id>/", workers.OneWorker.as_view()),
    path("workers/<name:platform>/<external:external_id>/block/", workers.BlockWorker.as_view()),
    path("workers/<name:platform>/<external:external_id>/unblock/", workers.UnblockWorker.as_view()),
    path("workers/<name:platform>/<external:external_id>/data/", privacy.WorkersData.as_view()),
    path("workers/<name:platform>/<external:external_id>/erase/", privacy.EraseWorker.as_view()),
    path("erasures/<opaque:report>/", privacy.OneErasure.as_view()),
    path("audit.jsonl", privacy.AuditLog.as_view()),
    path("qualifications/", qualifications.Qualifications.as_view()),
    path("qualifications/<name:slug>/", qualifications.OneQualification.as_view()),
    path("work/", work.Work.as_view()),
    path("work/consent/", work.WorkConsent.as_view()),
    path("work/qualification/", qualifications.WorkQualification.as_view()),
    path("work/notice/", work.CloseNotice.as_view()),
    path("work/claim/", work.Claim.as_view()),
    path("work/ahead/", work.ClaimAhead.as_view()),
    path("work/parse/check/", parse.CheckForm.as_view()),
    path("work/parse/next/", parse.NextStep.as_view()),
    path("logical_form.schema.json", parse.LogicalFormSchema.as_view(), name="logical-form-schema"),
    path("work/assignments/<opaque:assignment>/", work.OneAssignment.as_view()),
    path("work/assignments/<opaque:assignment>/heartbeat/", work.Heartbeat.as_view()),
    path("work/assignments/<opaque:assignment>/submit/", work.Submit.as_view()),
    path("work/assignments/<opaque:assignment>/release/", work.Release.as_view()),
    path("work/assignments/<opaque:assignment>/report/", work.Report.as_view()),
    path("projects/<name:slug>/generated_scenes/", generated_scenes.ProjectGenerated.as_view()),
    path("generated_scenes.jsonl", generated_scenes.GeneratedScenes.as_view()),
    path("sessions/<opaque:session>/episodes/", sessions.SessionEpisodes.as_view()),
    path("commands/", commands.PastCommands.as_view()),
    path("commands.jsonl", commands.Commands.as_view()),
    path("funnel/", commands.CommandFunnel.as_view()),
    path("trees/", trees.Trees.as_view()),
    path("trees/<name:slug>/", trees.OneTree.as_view()),
    path("routes/", routes.Routes.as_view()),
    path("routes/<name:slug>/", routes.OneRoute.as_view()),
    path("error_reports.jsonl", reports.ErrorReports.as_view()),
    re_path(r"", no_such_address),
]
